/** A process, from its start to its death, with the processes that die with it. */
export class Life {
  isAlive = true;
  isPaused = false;
  /** The signal that has ended it. */
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL';
  readonly children = new Set<Life>();
  private readonly mourners: (() => void)[] = [];

  /** @param isPunctual whether its timers have their effect at once, however far the time has moved */
  constructor(
    readonly name: string,
    readonly isPunctual = false,
  ) {}

  onDeath(then: () => void): void {
    this.mourners.push(then);
  }

  die(signal: Life['signal'] = 'SIGKILL'): void {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.signal = signal;
    for (const child of this.children) child.die();
    for (const then of this.mourners.splice(0)) then();
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
    for (const child of this.children) child.pause(isPaused);
  }
}

/**
 * Measures several sides in turns, so that whatever disturbs the machine disturbs all of them: each once a
 * round, in an order that is reversed with every round. The first round warms them up and does not count.
 */
export async function takeTurns<Side extends string, Figure>(
  rounds: number,
  sides: Record<Side, (round: number) => Promise<Figure>>,
): Promise<Record<Side, Figure[]>> {
  const names = Object.keys(sides) as Side[];
  const figures = Object.fromEntries(names.map((name) => [name, [] as Figure[]])) as Record<
    Side,
    Figure[]
  >;
  for (let round = 0; round <= rounds; round += 1) {
    for (const name of round % 2 ? names : names.toReversed()) {
      const figure = await sides[name](round);
      if (round > 0) figures[name].push(figure);
    }
  }
  return figures;
}

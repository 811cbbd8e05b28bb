/** An audio track in the shape that HTML gives it and media-chrome's menu expects. */
type Track = { id: string; kind: string; label: string; language: string; enabled: boolean };

/** The `audioTracks` of a video that hls.js plays. Only Safari has its own. */
export class AudioTrackList extends EventTarget {
  [index: number]: Track;
  length = 0;
  private selected = 0;

  [Symbol.iterator](): IterableIterator<Track> {
    return Array.prototype.values.call(this);
  }

  /** The index of the track that is heard. */
  get selectedIndex(): number {
    return this.selected;
  }

  /** Replaces the tracks. Their index is their id, and the selected one stays selected if it is still there. */
  replace(tracks: { name: string; lang?: string }[]) {
    for (let index = 0; index < this.length; index += 1) delete this[index];
    if (this.selected >= tracks.length) this.selected = 0;
    Object.assign(
      this,
      tracks.map((track, index) => this.createTrack(track, index)),
      {
        length: tracks.length,
      },
    );
    this.dispatchEvent(new Event('addtrack'));
    this.dispatchEvent(new Event('change'));
  }

  private createTrack({ name, lang = '' }: { name: string; lang?: string }, index: number): Track {
    const list = this;
    return {
      ...{ id: String(index), kind: index === 0 ? 'main' : 'alternative', label: name },
      language: lang,
      get enabled() {
        return list.selected === index;
      },
      set enabled(isEnabled) {
        if (!isEnabled || list.selected === index) return;
        list.selected = index;
        list.dispatchEvent(new Event('change'));
      },
    };
  }
}

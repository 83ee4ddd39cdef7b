// Prompts one at a time.

/** Runs tasks one after the other, in the order in which they came. */
export class Queue {
  private last: Promise<unknown> = Promise.resolve();

  /** Waits for its turn, then runs task; a task that fails fails alone. */
  add<T>(task: () => Promise<T>): Promise<T> {
    const next = this.last.then(task);
    this.last = next.catch(() => undefined);
    return next;
  }
}

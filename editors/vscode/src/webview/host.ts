// What the scripts of all pages share: the channel to the extension, and which
// sections a person has opened, kept while the page is away.

interface State {
  opened: Record<string, boolean>;
}

interface Host {
  postMessage(message: unknown): void;
  getState(): State | undefined;
  setState(state: State): void;
}

/** May be called once in a page. */
declare function acquireVsCodeApi(): Host;

export const host = acquireVsCodeApi();
/** Which sections a person has opened or closed, by their key. */
export const opened: Record<string, boolean> = host.getState()?.opened ?? {};

/** Notes what is opened and closed from now on, by the key that keyOf makes of an element's own. */
export function noteOpened(keyOf: (key: string, details: HTMLDetailsElement) => string = (key) => key): void {
  // "toggle" does not bubble, but it can be captured.
  document.addEventListener(
    "toggle",
    (event) => {
      const details = event.target;
      if (details instanceof HTMLDetailsElement && details.dataset["key"] !== undefined) {
        opened[keyOf(details.dataset["key"], details)] = details.open;
        host.setState({ opened });
      }
    },
    true,
  );
}

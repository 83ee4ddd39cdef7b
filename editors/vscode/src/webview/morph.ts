// Brings an element's content to what a piece of markup says, and leaves alone
// what is the same: focus, selection, scroll positions and what a person has
// opened survive. Elements are matched by data-key, else by their place.

/** Replaces the children of target by those of the markup. Says whether anything changed. */
export function morph(target: Element, markup: string): boolean {
  const template = document.createElement("template");
  template.innerHTML = markup;
  return children(target, template.content);
}

/** How far a counterpart is looked for, so that long lists cost no more than their length. */
const lookAhead = 40;

function keyOf(node: Node): string | undefined {
  return node instanceof HTMLElement ? node.dataset["key"] : undefined;
}

function children(old: Node, next: Node): boolean {
  const present = [...old.childNodes];
  const keyed = new Map<string, ChildNode>();
  for (const child of present) {
    const key = keyOf(child);
    if (key !== undefined) {
      keyed.set(key, child);
    }
  }
  // Find the counterparts first and remove what has none, so that nothing has to
  // be moved, which would take the focus from it, only because others went.
  const unkeyed = present.filter((n) => keyOf(n) === undefined);
  let from = 0;
  const pairs = [...next.childNodes].map((wanted) => {
    const key = keyOf(wanted);
    let match: ChildNode | undefined;
    if (key !== undefined) {
      match = keyed.get(key);
      keyed.delete(key);
    } else {
      for (let i = from; i < Math.min(unkeyed.length, from + lookAhead); i++) {
        const candidate = unkeyed[i];
        if (candidate && sameKind(candidate, wanted)) {
          match = candidate;
          from = i + 1;
          break;
        }
      }
    }
    return { wanted, match: match && sameKind(match, wanted) ? match : undefined };
  });
  let changed = false;
  const kept = new Set(pairs.map((p) => p.match));
  for (const child of present) {
    if (!kept.has(child)) {
      child.remove();
      changed = true;
    }
  }
  let at: ChildNode | null = old.firstChild;
  for (const { wanted, match } of pairs) {
    if (match === undefined) {
      old.insertBefore(wanted, at);
      changed = true;
    } else if (match === at) {
      at = at.nextSibling;
      changed = update(match, wanted) || changed;
    } else {
      old.insertBefore(match, at);
      update(match, wanted);
      changed = true;
    }
  }
  return changed;
}

function sameKind(a: Node, b: Node): boolean {
  return a.nodeType === b.nodeType && a.nodeName === b.nodeName && keyOf(a) === keyOf(b);
}

function update(old: Node, next: Node): boolean {
  if (!(old instanceof Element) || !(next instanceof Element)) {
    if (old.nodeValue === next.nodeValue) {
      return false;
    }
    old.nodeValue = next.nodeValue;
    return true;
  }
  let changed = false;
  for (const { name, value } of next.attributes) {
    if (ownedByPerson(old, name)) {
      continue;
    }
    if (old.getAttribute(name) !== value) {
      old.setAttribute(name, value);
      changed = true;
    }
  }
  for (const { name } of [...old.attributes]) {
    if (!next.hasAttribute(name) && !ownedByPerson(old, name)) {
      old.removeAttribute(name);
      changed = true;
    }
  }
  // A long text of many parts is new as a whole or not at all.
  if (old.hasAttribute("data-whole")) {
    if (old.innerHTML === next.innerHTML) {
      return changed;
    }
    old.replaceChildren(...next.childNodes);
    return true;
  }
  // A list that the page fills itself, such as virtual rows, is its own.
  return old.hasAttribute("data-own") ? changed : children(old, next) || changed;
}

/** What a person, or the page on their behalf, has set on an element. */
function ownedByPerson(element: Element, attribute: string): boolean {
  switch (attribute) {
    case "open":
      return element instanceof HTMLDetailsElement;
    case "hidden":
      return element.classList.contains("folded") || element.hasAttribute("data-fold");
    case "aria-expanded":
      return element.hasAttribute("data-fold");
    case "style":
    case "data-resting":
      return true;
  }
  return false;
}

import type { ComponentChildren, JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface PageFrameProps {
  readonly title: string;
  readonly sub: ComponentChildren;
  /** The same as a command. */
  readonly command: string;
  readonly children: ComponentChildren;
}

/** One of the operators' pages: a heading that gets the focus, a sentence, and the same answer as a command. */
export function PageFrame({ title, sub, command, children }: PageFrameProps): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  // At once: a key that is pressed next may put the focus into a box of the page, and keeps it there.
  useLayoutEffect(() => {
    document.title = `${title} · Troupe`;
    heading.current?.focus({ preventScroll: true });
  }, [title]);
  return (
    <section class="view view--back" aria-labelledby="page-h">
      <div class="head head--tight">
        <div>
          <h1 id="page-h" ref={heading} tabIndex={-1}>
            {title}
          </h1>
          <p class="head__sub">{sub}</p>
        </div>
        <p class="cli">
          <code>{command}</code>
        </p>
      </div>
      <div class="page">{children}</div>
    </section>
  );
}

/** A part of a page under its own heading. */
export function Section({
  id,
  title,
  note,
  children,
}: {
  readonly id: string;
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <section aria-labelledby={id}>
      <h2 id={id}>
        {title} {note === undefined ? null : <small>{note}</small>}
      </h2>
      {children}
    </section>
  );
}

/** One serif sentence that says what is so, one that says what to do. */
export function Empty({ lead, cure }: { readonly lead: string; readonly cure: ComponentChildren }): JSX.Element {
  return (
    <div class="empty">
      <p class="empty__lead">{lead}</p>
      <p>{cure}</p>
    </div>
  );
}

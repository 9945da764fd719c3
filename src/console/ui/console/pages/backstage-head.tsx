import type { JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

/** The heading of what is shown, which gets the focus when it comes. */
export function BackstageHead({
  title,
  sub,
  note,
}: {
  readonly title: string;
  readonly sub: string | JSX.Element;
  readonly note?: JSX.Element | null;
}): JSX.Element {
  const heading = useRef<HTMLHeadingElement>(null);
  useLayoutEffect(() => {
    document.title = "Backstage · Troupe";
    heading.current?.focus({ preventScroll: true });
  }, []);
  return (
    <div class="head head--tight">
      <div>
        <h1 id="page-h" ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p class="head__sub">{sub}</p>
      </div>
      {note ?? null}
    </div>
  );
}

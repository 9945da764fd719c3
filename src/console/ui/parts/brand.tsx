import type { ComponentChildren, JSX } from "preact";

/** The mark and the name. The pool of light at the mark's foot is lit while anything is live. */
export function Brand({ isLit, children }: { readonly isLit: boolean; readonly children?: ComponentChildren }): JSX.Element {
  return (
    <header class={isLit ? "brand brand--live" : "brand"}>
      <svg class="brand__mark" viewBox="0 0 32 32" aria-hidden="true" focusable="false">
        <path d="M4 3h24v3.5H18V18h-4V6.5H4z" fill="currentColor" />
        <ellipse class="brand__pool" cx="16" cy="26" rx="12.5" ry="4" />
      </svg>
      <span class="brand__name">Troupe</span>
      <span class="brand__state">{children}</span>
    </header>
  );
}

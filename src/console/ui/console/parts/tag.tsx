import type { ComponentChildren, JSX } from "preact";

/** A word in a frame: what somebody is, how many wait. */
export function Tag({
  tone = "plain",
  children,
}: {
  readonly tone?: "plain" | "stop" | "cue" | "off";
  readonly children: ComponentChildren;
}): JSX.Element {
  return <span class={tone === "plain" ? "tag" : `tag tag--${tone}`}>{children}</span>;
}

import type { JSX } from "preact";
import type { StatusAnswer } from "../../../../observe/status.ts";
import { clockTime } from "../../words/times.ts";
import { Section } from "../parts/page-frame.tsx";
import { Cell, Group, Row, Table } from "../parts/table.tsx";
import { number } from "../words/numbers.ts";

/** What waits and runs now, beside its ceiling. */
export function HealthQueues({ status }: { readonly status: StatusAnswer }): JSX.Element {
  const { queues, messages } = status;
  const rows: readonly (readonly [string, number, string])[] = [
    ["Messages waiting", queues.waiting, number(queues.maxWaiting)],
    ["Lanes open", queues.lanes, number(queues.maxLanes)],
    ["Turns thinking", queues.thinking, number(queues.maxThinking)],
    ["Questions open", messages["suspended"] ?? 0, ""],
  ];
  return (
    <Section id="queues-h" title="Queues">
      <Table caption="Queues" columns={[{ name: "Queue" }, { name: "Now", isNumber: true }, { name: "Ceiling", isNumber: true }]}>
        <Group>
          {rows.map(([name, now, ceiling]) => (
            <Row key={name} head={name}>
              <Cell isNumber>{number(now)}</Cell>
              <Cell isNumber>{ceiling}</Cell>
            </Row>
          ))}
        </Group>
      </Table>
    </Section>
  );
}

/** What became of messages and parts today. */
export function HealthBoxes({ status }: { readonly status: StatusAnswer }): JSX.Element {
  const { today, parts } = status;
  const ends = Object.entries(today.ends)
    .filter(([name]) => name !== "answered")
    .map(([name, value]) => `${number(value)} ${name}`);
  const rows: readonly (readonly [string, number, string])[] = [
    ["Let in", today.admitted, `of ${number(today.admitted + today.suppressed)} that came in`],
    ["Answered", today.ends["answered"] ?? 0, ends.join(", ")],
    ["On their way", (parts["queued"] ?? 0) + (parts["sending"] ?? 0), "parts, now"],
    ["Delivered", today.parts["delivered"] ?? 0, "parts"],
    ["Unknown", today.parts["unknown"] ?? 0, "may not have arrived; never sent again"],
    ["Failed", (today.parts["failed"] ?? 0) + (today.parts["expired"] ?? 0) + (today.parts["cancelled"] ?? 0), "did not leave"],
  ];
  return (
    <Section id="box-h" title="Inbox and outbox" note={`since ${clockTime(today.sinceMs)}`}>
      <Table caption="Inbox and outbox today" columns={[{ name: "State" }, { name: "Today", isNumber: true }, { name: "Note" }]}>
        <Group>
          {rows.map(([name, value, note]) => (
            <Row key={name} head={name}>
              <Cell isNumber>{name === "Unknown" && value > 0 ? <strong>{number(value)}</strong> : number(value)}</Cell>
              <Cell>
                <span class="dim">{note}</span>
              </Cell>
            </Row>
          ))}
        </Group>
      </Table>
    </Section>
  );
}

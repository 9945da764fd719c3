import type { JSX } from "preact";
import type { HostStatus, StatusAnswer, SurfaceStatus } from "../../../../observe/status.ts";
import { secondTime } from "../../words/times.ts";
import { Section } from "../parts/page-frame.tsx";
import { State } from "../parts/state.tsx";
import { Cell, Group, Row, Table } from "../parts/table.tsx";
import { hostLook, surfaceLook, surfaceWords } from "../words/health-words.ts";
import { number } from "../words/numbers.ts";
import { when } from "../words/when.ts";

/** Where people are, and how each connection stands. */
export function HealthSurfaces({ status }: { readonly status: StatusAnswer }): JSX.Element {
  return (
    <Section id="surfaces-h" title="Surfaces">
      <Table
        caption="Surfaces and their states"
        stacks
        columns={[
          { name: "Surface" },
          { name: "State" },
          { name: "What is going on" },
          { name: "Connections", isNumber: true },
          { name: "Let in today", isNumber: true },
        ]}
      >
        <Group>
          {status.surfaces.map((surface) => (
            <SurfaceRow key={surface.name} surface={surface} nowMs={status.nowMs} />
          ))}
        </Group>
      </Table>
    </Section>
  );
}

function SurfaceRow({ surface, nowMs }: { readonly surface: SurfaceStatus; readonly nowMs: number }): JSX.Element {
  return (
    <Row head={surface.title}>
      <Cell isHalf>
        <State look={surfaceLook(surface.state)} name={surface.state} />
      </Cell>
      <Cell>
        {surfaceWords(surface, nowMs)} <SurfaceDetail surface={surface} />
      </Cell>
      <Cell label="Connections" isNumber>
        {number(surface.generation)}
      </Cell>
      <Cell label="Let in today" isNumber>
        {number(surface.admittedToday)}
      </Cell>
    </Row>
  );
}

function SurfaceDetail({ surface }: { readonly surface: SurfaceStatus }): JSX.Element | null {
  if (surface.reason !== "") {
    return (
      <p class="was">
        <code>{surface.reason}</code>, since {secondTime(surface.sinceMs)}
      </p>
    );
  }
  return surface.url === null ? null : (
    <p class="was">
      guests come in at <code>{surface.url}</code>
    </p>
  );
}

/** What speaks, and whether it answers. */
export function HealthHosts({ status }: { readonly status: StatusAnswer }): JSX.Element {
  return (
    <Section id="hosts-h" title="Models">
      <Table
        caption="Models and whether they answer"
        stacks
        columns={[{ name: "Model" }, { name: "State" }, { name: "What is going on" }, { name: "First word", isNumber: true }]}
      >
        <Group>
          {status.hosts.map((host) => (
            <HostRow key={host.by} host={host} nowMs={status.nowMs} />
          ))}
        </Group>
      </Table>
    </Section>
  );
}

const HOST_STATES: Readonly<Record<HostStatus["state"], string>> = { up: "answers", down: "down", standing_in: "stands in" };

function HostRow({ host, nowMs }: { readonly host: HostStatus; readonly nowMs: number }): JSX.Element {
  return (
    <Row head={<code>{host.by}</code>}>
      <Cell isHalf>
        <State look={hostLook(host.state)} name={HOST_STATES[host.state]} />
      </Cell>
      <Cell>
        {hostWords(host, nowMs)}
        {host.reason === "" ? null : (
          <p class="was">
            <code>{host.reason}</code>
          </p>
        )}
      </Cell>
      <Cell label="First word" isNumber>
        {host.firstTokenMs === null ? <span class="dim">none yet</span> : `${number(Math.round(host.firstTokenMs))} ms`}
      </Cell>
    </Row>
  );
}

function hostWords({ state, sinceMs }: HostStatus, nowMs: number): string {
  if (state === "standing_in") return "No model is configured. Name a host under models.hosts in troupe.yaml.";
  if (state === "up") return "Speaks for the characters.";
  return `Does not answer${sinceMs === null ? "" : ` since ${when(sinceMs, nowMs)}`}. Lines are kept, and nothing stands in for it.`;
}

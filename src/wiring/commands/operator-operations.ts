import type { Authority } from "../../authority/authority.ts";
import type { Chronicle } from "../../chronicle/chronicle.ts";
import type { Clock } from "../../foundation/clock.ts";
import type { Speaker } from "../../models/speaker.ts";
import { bindBudgets } from "../../observe/budgets-operation.ts";
import { bindDecisions } from "../../observe/decisions-operation.ts";
import { bindLines } from "../../observe/lines-operation.ts";
import type { Notices } from "../../observe/notices.ts";
import { bindNotices } from "../../observe/notices-operation.ts";
import { bindPackets } from "../../observe/packets-operation.ts";
import { bindPeople } from "../../observe/people-operation.ts";
import { bindStatus } from "../../observe/status.ts";
import type { AnswerWord, ApprovalsLedger } from "../../operations/approvals.ts";
import { bindApprovals } from "../../operations/approvals.ts";
import { bindGuardrails } from "../../operations/guardrails.ts";
import { bindEndorse } from "../../operations/endorse.ts";
import type { GrantsLedger } from "../../operations/grants.ts";
import { bindGrants } from "../../operations/grants.ts";
import { bindHooks } from "../../operations/hooks.ts";
import type { Operation } from "../../operations/operation.ts";
import { bindPause } from "../../operations/pause.ts";
import type { Runtime } from "../../operations/runtime-face.ts";
import type { Road } from "../../road/road.ts";
import type { Store } from "../../store/store.ts";
import type { Surface } from "../../surfaces/surface.ts";
import { parseSurfaceName } from "../../vocabulary/ids.ts";
import { readersOf } from "../../vocabulary/label.ts";
import { directPlace } from "../../vocabulary/place.ts";
import { LOCAL_OWNER } from "../../vocabulary/principal.ts";
import { bindSchedule } from "../../operations/schedule.ts";
import { bindSessions } from "../../operations/sessions.ts";
import { bindTurns } from "../../operations/turns.ts";
import type { AgentVoices } from "../agent/agent.ts";
import { endorseLedger } from "../endorsements.ts";
import { sessionsLedger } from "../agent/sessions.ts";
import { isKeptSession, turnsLedger } from "../agent/turns.ts";
import type { ComposeOptions } from "../compose-options.ts";
import type { ProposalDesk } from "../mcp/mcp-desk.ts";
import { hostStatus, queueStatus, surfaceStatus } from "../health.ts";

/** What the operators' own commands look at. */
export interface OperatorFloors {
  readonly store: Store;
  readonly chronicle: Chronicle;
  readonly speaker: Speaker;
  readonly notices: Notices;
  readonly authority: Pick<Authority, "budgets" | "isAsked" | "judgeFrom">;
  readonly road: Pick<Road, "counts" | "halt" | "resume" | "takeUp">;
  readonly agent: Pick<AgentVoices, "classesOf" | "guardrails" | "hooks" | "live" | "scheduling">;
  readonly surfaces: () => readonly Surface[];
  readonly addresses: () => Runtime["addresses"];
}

/** The id of a direct line does not depend on the surface it is reached through. */
const ANY_SURFACE = parseSurfaceName("any");

/** What operators look at and change while the process runs; the console's pages are made of these. */
export function bindOperatorOperations(
  options: ComposeOptions,
  floors: OperatorFloors & { readonly desk: Pick<ProposalDesk, "answer"> },
): readonly Operation[] {
  const { store, chronicle, notices } = floors;
  const { clock } = options.floor;
  const config = (): ReturnType<typeof options.config.current> => options.config.current();
  return [
    bindStatusOf(options, floors),
    bindNotices(notices),
    bindSchedule(floors.agent.scheduling.ledger),
    bindGuardrails(floors.agent.guardrails),
    bindHooks(floors.agent.hooks),
    bindSessions(sessionsLedger(store, floors.agent.classesOf)),
    bindTurns(turnsLedger({ clock, store, live: floors.agent.live, resume: (answer) => floors.road.resume(answer) }), clock),
    bindBudgets({
      clock,
      views: () => floors.authority.budgets(floors.surfaces().map(({ name }) => name)),
      unpricedModels: () => floors.speaker.configured.filter(({ price }) => price === null).map(({ name }) => name),
    }),
    bindApprovalsOf(options, floors),
    ...bindCallOperations(store, clock),
    bindPackets(store.read),
    bindPeople({
      clock,
      reader: store.read,
      operators: () => [LOCAL_OWNER, ...config().people.operators],
      repliesPerDay: () => config().budgets.callsPerDayPerPerson,
    }),
    bindLines({
      clock,
      store,
      characters: () => config().characters,
      history: (person, character, range) => {
        const place = directPlace(ANY_SURFACE, character, person);
        return chronicle.history(place, readersOf(place), range).filter(({ state }) => state === "said");
      },
    }),
    ...bindPause(
      {
        pauses: () => store.read.pauses(),
        pause: (row) => store.pause(row),
        unpause: (row) => store.unpause(row),
        characters: () => [...config().characters.keys()],
        surfaces: () => [...config().surfaces.keys()],
      },
      clock,
    ),
  ];
}

/** What may be called without a question, and what was decided about calls. */
function bindCallOperations(store: Store, clock: Clock): readonly Operation[] {
  const grants: GrantsLedger = { list: (nowMs) => grantViews(store, nowMs), revoke: (row) => store.calls.ungrant(row) };
  return [bindGrants(grants, clock), bindDecisions(store.read), bindEndorse(endorseLedger(store), clock)];
}

/** Grants that stand, each with the schedule that acts on it. */
function grantViews({ read }: Store, nowMs: number): ReturnType<GrantsLedger["list"]> {
  const schedules = new Map(read.schedules.list().map(({ id, grant }) => [grant, id]));
  return read.calls.grants(nowMs).map(({ grant, ...one }) => ({ ...one, id: grant, schedule: schedules.get(grant) ?? null }));
}

/** Questions that wait, and whoever answers them. */
function bindApprovalsOf(
  { floor: { clock } }: ComposeOptions,
  floors: Pick<OperatorFloors, "store" | "authority" | "road"> & { readonly desk: Pick<ProposalDesk, "answer"> },
): Operation {
  const { store } = floors;
  return bindApprovals(
    {
      pending: (nowMs) => store.read.calls.pending(nowMs),
      ask: (id) => store.read.calls.ask(id),
      askNumbered: (number) => store.read.calls.askNumbered(number),
      hasSession: (id) => isKeptSession(store, id),
      keptAnswers: (nowMs) => store.read.calls.keptAnswers(nowMs),
      isAsked: (person, by) => floors.authority.isAsked(person, by),
      shown: (row) => store.calls.shown(row),
      revoke: (row) => store.calls.revoke(row),
      answer: (given) => answerQuestion(given, floors),
    },
    clock,
  );
}

function bindStatusOf(options: ComposeOptions, { store, speaker, notices, road, surfaces, addresses }: OperatorFloors): Operation {
  const config = (): ReturnType<typeof options.config.current> => options.config.current();
  const { startedAtMs } = options.process;
  return bindStatus({
    clock: options.floor.clock,
    store,
    facts: () => ({
      ...options.process,
      model: speaker.model.understudy ? null : speaker.model.name,
      rooms: addresses().room,
      console: addresses().console,
      stateDirectory: config().stateDirectory,
    }),
    memoryBytes: () => process.memoryUsage.rss(),
    queues: () => queueStatus(road, options.floor.limits),
    surfaces: () => surfaces().map((one) => surfaceStatus(one, config(), startedAtMs)),
    hosts: () => hostStatus(speaker),
    characters: () => [...config().characters.values()].map(({ id, name }) => ({ id, name })),
    notices: () => ({ kept: notices.recent().length, dropped: notices.dropped }),
    endorsed: () => store.read.calls.endorsements().length,
    log: () => (options.logFile === undefined ? null : { dropped: options.logFile.dropped, rotations: options.logFile.rotations }),
    traces: () => (config().traces === null ? null : (options.traces?.counts ?? null)),
  });
}

/** Judge an answer by who gives it and where, and let what it allows go on. */
async function answerQuestion(
  { approval, by, ...given }: Parameters<ApprovalsLedger["answer"]>[0],
  { authority, desk, road }: Pick<OperatorFloors, "authority" | "road"> & { readonly desk: Pick<ProposalDesk, "answer"> },
): Promise<AnswerWord> {
  const judged = authority.judgeFrom({ ...given, question: approval }, by);
  if (judged.kind === "refused") return judged.why;
  const proposed = await desk.answer(judged.row);
  if (proposed === null) return (await road.resume(judged.row)) ? "taken" : "not_waiting";
  if (proposed.say !== null) road.takeUp(proposed.say);
  return proposed.word;
}

import assert from "node:assert/strict";
import test from "node:test";
import { EXAMPLE_HOUSE } from "../writing/example.ts";
import type { PrivateRisk } from "./private-text.ts";
import { findPrivateRisks, looksLikeCredential } from "./private-text.ts";

const NAMES = ["Margarete Holl", "discord:123456789012345678", "123456789012345678", "models.internal.example", "HOSTED_KEY"];

/** Each planted thing inside a sentence of a story. */
const PLANTED: readonly [title: string, text: string, risk: PrivateRisk][] = [
  ["an API key", "She hums sk-proj-4f9aB27cD01eF56gH88i when it rains.", "credential"],
  ["a cloud key id", "On the wall: AKIAIOSFODNN7EXAMPLE, in chalk.", "credential"],
  ["a repository token", "The parrot says ghp_16C7e42F292c6912E7710c838347Ae178B4a.", "credential"],
  ["a private key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk", "credential"],
  ["a signed token", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N", "credential"],
  ["a bearer header", "Authorization: Bearer abcdef0123456789", "credential"],
  ["a password", "The router's password is Tulpe!77, never tell.", "credential"],
  ["a password in German", "Passwort: hunter2", "credential"],
  ["a random run", "He keeps 9f86d081884c7d659a2feaa0c55ad015 in his boot.", "credential"],
  ["an address with a password", "She reads postgres://mira:geheim@db.example.org/inn at night.", "web address with a password"],
  ["a mail address", "Write to mirelle.k@example.org if lost.", "mail address"],
  ["a street address", "She really lives at 221 Baker Street, upstairs.", "street address"],
  ["a street address in German", "Eigentlich wohnt sie Lindenstraße 14, im Hof.", "street address"],
  ["a postcode", "The letter went to SW1A 2AA.", "street address"],
  ["a network address", "The box answers at 192.168.178.20 only.", "network address"],
  ["a network address of six", "It is fe80:0:0:0:1ff:fe23:4567:890a there.", "network address"],
  ["a phone number", "Call +49 170 1234567 after dark.", "phone number"],
  ["a phone number in brackets", "Call (555) 010-4477-21 after dark.", "phone number"],
  ["the operator's name", "Her maker is margarete holl of the mill.", "configured name"],
  ["an operator's account", "She obeys 123456789012345678 alone.", "configured name"],
  ["a model host", "She thinks at models.internal.example, she says.", "configured name"],
  ["a variable's name", "The spell is called HOSTED_KEY.", "configured name"],
];

for (const [title, text, risk] of PLANTED) {
  test(`SE-088 warns of ${title} in an author's text`, () => {
    assert.ok(findPrivateRisks(text, NAMES).includes(risk), findPrivateRisks(text, NAMES).join());
    assert.ok(findPrivateRisks(`Before it, a long tale.\n\n${text}\nAnd after it another.`, NAMES).includes(risk));
  });
}

test("SE-088 says nothing about a story, its dates, numbers, ferries and keys of iron", () => {
  const stories = [
    EXAMPLE_HOUSE.character.private,
    "The key is under the third flagstone; the password nobody ever asked for was a whistle.",
    "Born 1923-04-05, drowned in 1961. Room 12 has 3 beds, room 14 has 2; the ledger counts 1,204 loaves.",
    "She walks to the square at the end of the lane, past 3 houses, and never takes Court cases.",
    "He was paid 12.50 on 4.11.1987 and 3.20 on 5.11.1987.",
    "Holl is a village. Margarete is a goat.",
    "A very-long-hyphenated-name-for-a-boat, and an extraordinarilylongwordwithoutdigits.",
    "At 10:30:15 the bell rang; at 11:45 it rang again.",
  ];
  for (const story of stories) assert.deepEqual(findPrivateRisks(story, NAMES), [], story);
});

test("SE-088 the search is quick on 8,000 hostile characters", () => {
  for (const part of ["a", "1", "1 ", "a@", "://a:", "Aa ", "sk-", "1.", "a:", "password ", "Aa-1_", "12 Ab ", "-----BEGIN A"]) {
    const before = process.cpuUsage();
    findPrivateRisks(part.repeat(Math.floor(8_000 / part.length)), NAMES);
    const { user } = process.cpuUsage(before);
    assert.ok(user < 500_000, `${part} took ${user} µs of processor`);
  }
});

test("names of keys are no credentials", () => {
  for (const word of ["replies_per_minute_per_person", "characters", "key_file", "concurrent_turns", "calls_per_day_per_space"])
    assert.equal(looksLikeCredential(word), false, word);
});

/** Defines speech requests, and checks them against the voices, formats and speeds of an endpoint. */
import type { SpeechCapabilities } from '../catalog/catalog.ts';
import type { Issue } from '../errors.ts';

export type SpeechFormat = 'mp3' | 'pcm';

export interface SpeechTurn {
  text: string;
  voice?: string | undefined;
  instructions?: string | undefined;
}

/** A reference for the voice: a clip with its transcript, or a picture of the speaker. */
export type SpeechReference =
  | { kind: 'audio'; data: string; format?: string | undefined; transcript?: string }
  | { kind: 'image'; url: string };

/** A speech request, before an endpoint is chosen. */
export interface RequestedSpeech {
  input: string | SpeechTurn[];
  voice?: string | undefined;
  /** Directions for the whole speech. */
  instructions?: string | undefined;
  format: SpeechFormat;
  /** 1 is the normal speed. */
  speed?: number | undefined;
  references: SpeechReference[];
}

/** Returns an issue for each part of a request that an endpoint cannot fulfil; empty if it can serve the request. */
export function speechIssues(capabilities: SpeechCapabilities, request: RequestedSpeech): Issue[] {
  const issues: Issue[] = [];
  if (!capabilities.formats.includes(request.format)) {
    issues.push(issue('response_format', `must be ${oneOf(capabilities.formats)} for this model`));
  }
  addVoiceIssues(issues, capabilities, request);
  addSpeedIssue(issues, capabilities, request);
  if (typeof request.input !== 'string' && !capabilities.turns) {
    issues.push(issue('input', 'must be a text: this model does not support turns'));
  }
  if (!capabilities.instructions) addInstructionIssues(issues, request);
  const [reference] = request.references;
  if (reference !== undefined && !capabilities.references.includes(reference.kind)) {
    issues.push(issue('input_references', `of kind ${reference.kind} are not supported by this model`));
  }
  return issues;
}

/** Returns the endpoint's own name of a voice. `name` may be an alias. */
export function ownVoice({ voices, voiceAliases = {} }: SpeechCapabilities, name: string): string {
  if (voices?.includes(name) === true || !Object.hasOwn(voiceAliases, name)) return name;
  return voiceAliases[name] ?? name;
}

function addVoiceIssues(issues: Issue[], capabilities: SpeechCapabilities, request: RequestedSpeech): void {
  const { voices } = capabilities;
  const check = (voice: string | undefined, path: string): void => {
    if (voice === undefined || voices === null || voices.includes(ownVoice(capabilities, voice))) return;
    issues.push(issue(path, `must be ${oneOf(voices)} for this model`));
  };
  check(request.voice, 'voice');
  if (typeof request.input === 'string') return;
  for (const [index, turn] of request.input.entries()) check(turn.voice, `input.${index}.voice`);
}

function addInstructionIssues(issues: Issue[], { instructions, input }: RequestedSpeech): void {
  const unsupported = 'is not supported by this model';
  if (instructions !== undefined) issues.push(issue('instructions', unsupported));
  if (typeof input === 'string') return;
  for (const [index, turn] of input.entries()) {
    if (turn.instructions !== undefined) issues.push(issue(`input.${index}.instructions`, unsupported));
  }
}

/** Adds an issue for an unsupported speed. Every model speaks at speed 1. */
function addSpeedIssue(
  issues: Issue[],
  { speed: range }: SpeechCapabilities,
  { speed }: RequestedSpeech,
): void {
  if (speed === undefined || speed === 1) return;
  if (range === null) issues.push(issue('speed', 'must be 1: this model supports no other speed'));
  else if (speed < range.min || speed > range.max) {
    issues.push(issue('speed', `must be from ${range.min} to ${range.max} for this model`));
  }
}

function issue(field: string, message: string): Issue {
  return { path: `body.${field}`, message };
}

function oneOf(words: readonly string[]): string {
  return words.length === 1 ? words.join('') : `one of ${words.join(', ')}`;
}

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { ROOT } from '../../dev/settings.ts';

export interface ComposeService {
  image: string;
  /** The folder to build, or its stage with it. */
  build?: string | { context: string; target: string };
  environment?: Record<string, string | number>;
  volumes?: string[];
  tmpfs?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
  stop_grace_period?: string;
  command?: string[];
  entrypoint?: string[];
  depends_on?: Record<string, { condition: string }>;
}

interface ComposeFile {
  services: Record<string, ComposeService>;
  volumes: Record<string, unknown>;
}

/** The text of a file of the checkout. */
export function readRootFile(name: string): string {
  return readFileSync(path.join(ROOT, name), 'utf8');
}

/** A YAML file of the checkout, with its `<<` merged as Docker Compose merges them. */
export function readYaml(name: string): unknown {
  return parse(readRootFile(name), { merge: true });
}

export const compose = readYaml('compose.yaml') as ComposeFile;

/** The services that run Sluice's own images. */
export const sluiceServices = Object.entries(compose.services).filter(([, { build }]) => build !== undefined);

/** `${NAME}`, `${NAME:?what it is}`, `${NAME:-default}` and `${NAME-default}`, as Docker Compose reads them. */
const REFERENCE = /\$\{([A-Z0-9_]+)(?:(:?[?-])([^}]*))?\}/g;

export interface VariableReference {
  name: string;
  /** Undefined in a plain `${NAME}`. */
  operator: string | undefined;
  /** The message after `?`, the default after `-`. */
  text: string | undefined;
}

/** All variables that compose.yaml asks the operator for. */
export function variableReferences(): VariableReference[] {
  return [...readRootFile('compose.yaml').matchAll(REFERENCE)].map(([, name = '', operator, text]) => ({
    name,
    operator,
    text,
  }));
}

/** The environment that a service gets from compose.yaml when `.env` holds `values`. */
export function environmentOf(service: string, values: Record<string, string>): Record<string, string> {
  const entries = Object.entries(compose.services[service]?.environment ?? {});
  return Object.fromEntries(entries.map(([name, text]) => [name, interpolate(String(text), values)]));
}

function interpolate(text: string, values: Record<string, string>): string {
  return text.replace(REFERENCE, (_whole, name: string, operator?: string, after = '') => {
    const value = values[name];
    const isThere = operator?.startsWith(':') === true ? Boolean(value) : value !== undefined;
    if (isThere) return value ?? '';
    if (operator?.endsWith('?') === true) throw new Error(`${name} is not set: ${after}`);
    return operator === undefined ? '' : after;
  });
}

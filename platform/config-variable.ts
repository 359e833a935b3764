import type { Rule } from './config-rules.ts';
import { redactText } from './redact.ts';

/** What people read about a variable: in docs/configuration.md, and in the error when it is wrong. */
interface Words {
  sentence: string;
  example: string;
  /** Its value is never repeated in an error. */
  secret?: boolean;
}

export interface Variable<T> extends Words {
  rule: Rule<T>;
  /** What holds when the variable is not set; without it the variable must be set. */
  unset?: { value: () => T; words: string };
}

export function required<T>(rule: Rule<T>, words: Words): Variable<T> {
  return { rule, ...words };
}

/** The default goes through the same rule, and is the example unless another is given. */
export function defaulted<T>(
  rule: Rule<T>,
  text: string,
  words: Omit<Words, 'example'> & { example?: string },
): Variable<T> {
  return { rule, unset: { value: () => rule(text), words: `\`${text}\`` }, example: text, ...words };
}

/** `words.unset` says what happens without it. */
export function optional<T>(rule: Rule<T>, words: Words & { unset: string }): Variable<T | undefined> {
  return { rule, ...words, unset: { value: () => undefined, words: words.unset } };
}

export type Values<V> = { [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

export interface ConfigProblem {
  variable: string;
  message: string;
  example: string;
}

/** Everything that is wrong with the environment, at once. Holds no value of a secret variable. */
export class ConfigError extends Error {
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    const lines = problems.map(
      ({ variable, message, example }) => `  ${variable} ${message}; for example ${example}`,
    );
    super(['The configuration is not valid:', ...lines].join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/**
 * The values of all variables that are right, and what is wrong with the others. Surrounding spaces do not
 * count, and an empty value is one that is not set.
 */
export function readVariables<V extends Record<string, Variable<unknown>>>(
  variables: V,
  env: NodeJS.ProcessEnv,
): { values: Partial<Values<V>>; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const values = Object.entries(variables).flatMap(([name, variable]): [string, unknown][] => {
    try {
      return [[name, readVariable(variable, env[name]?.trim() ?? '')]];
    } catch (error) {
      problems.push(problemOf(name, variable, error));
      return [];
    }
  });
  return { values: Object.fromEntries(values) as Partial<Values<V>>, problems };
}

function readVariable<T>(variable: Variable<T>, text: string): T {
  if (text === '') {
    if (variable.unset === undefined) throw new TypeError('is not set');
    return variable.unset.value();
  }
  try {
    return variable.rule(text);
  } catch (error) {
    const shown = variable.secret === true ? '' : `is ${JSON.stringify(redactText(text))} and `;
    throw new TypeError(`${shown}${reasonOf(error)}`);
  }
}

function problemOf(name: string, { example }: Words, error: unknown): ConfigProblem {
  return { variable: name, message: reasonOf(error), example: `${name}=${example}` };
}

function reasonOf(error: unknown): string {
  return error instanceof TypeError ? error.message : 'cannot be read';
}

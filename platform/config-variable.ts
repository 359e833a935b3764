/** Declares environment variables with rule, default and description, and reads them. */
import type { Rule } from './config-rules.ts';
import { redactText } from './redact.ts';

/** The texts about a variable, for docs/configuration.md and for errors. */
interface VariableTexts {
  sentence: string;
  example: string;
  /** True: errors never repeat the value. */
  secret?: boolean;
}

export interface Variable<T> extends VariableTexts {
  rule: Rule<T>;
  /** The value while the variable is not set. Absent: the variable is required. */
  unset?: { value: () => T; text: string };
}

export function required<T>(rule: Rule<T>, texts: VariableTexts): Variable<T> {
  return { rule, ...texts };
}

/** Declares a variable with a default. The default passes the same rule, and is the example unless another is given. */
export function defaulted<T>(
  rule: Rule<T>,
  text: string,
  texts: Omit<VariableTexts, 'example'> & { example?: string },
): Variable<T> {
  return { rule, unset: { value: () => rule(text), text: `\`${text}\`` }, example: text, ...texts };
}

/** Declares an optional variable. `texts.unset` describes the behaviour without it. */
export function optional<T>(
  rule: Rule<T>,
  texts: VariableTexts & { unset: string },
): Variable<T | undefined> {
  return { rule, ...texts, unset: { value: () => undefined, text: texts.unset } };
}

export type Values<V> = { [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

export interface ConfigProblem {
  variable: string;
  message: string;
  example: string;
}

/** Lists all problems of the environment. Contains no value of a secret variable. */
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
 * Returns the values of all valid variables, and the problems of the others. Surrounding spaces are ignored, and an
 * empty value counts as not set.
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

function problemOf(name: string, { example }: VariableTexts, error: unknown): ConfigProblem {
  return { variable: name, message: reasonOf(error), example: `${name}=${example}` };
}

function reasonOf(error: unknown): string {
  return error instanceof TypeError ? error.message : 'cannot be read';
}

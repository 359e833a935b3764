/** Declares environment variables with rule, default and description, and reads them. */
import { ZodError } from 'zod';
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
  name: string;
  /** Returns the value of a text, or of the unset variable. Throws a ZodError. */
  rule: (text: string | undefined) => T;
  /** The behaviour while the variable is not set. Absent: it is required. */
  unset?: string;
}

/** Variables by the name of their value in the code. */
export type Variables = Record<string, Variable<unknown>>;
export type Values<V> = { [K in keyof V]: V[K] extends Variable<infer T> ? T : never };

export function required<T>(name: string, rule: Rule<T>, texts: VariableTexts): Variable<T> {
  return { name, rule: (text) => rule.parse(text), ...texts };
}

/** Declares a variable with a default. The default passes the same rule, and is the example unless another is given. */
export function defaulted<T>(
  name: string,
  rule: Rule<T>,
  unset: string,
  texts: Omit<VariableTexts, 'example'> & { example?: string },
): Variable<T> {
  return { name, rule: (text = unset) => rule.parse(text), unset: `\`${unset}\``, example: unset, ...texts };
}

/** Declares an optional variable. `texts.unset` describes the behaviour without it. */
export function optional<T>(
  name: string,
  rule: Rule<T>,
  texts: VariableTexts & { unset: string },
): Variable<T | undefined> {
  return { name, rule: (text) => rule.optional().parse(text), ...texts };
}

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
export function readVariables<V extends Variables>(
  variables: V,
  env: NodeJS.ProcessEnv,
): { values: Partial<Values<V>>; problems: ConfigProblem[] } {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  for (const [key, variable] of Object.entries(variables)) {
    const text = env[variable.name]?.trim() || undefined;
    try {
      values[key] = variable.rule(text);
    } catch (error) {
      if (!(error instanceof ZodError)) throw error;
      const shown = variable.secret === true ? '' : `is ${JSON.stringify(redactText(text ?? ''))} and `;
      const message = text === undefined ? 'is not set' : `${shown}${messageOf(error)}`;
      problems.push(problemOf(variable, message));
    }
  }
  return { values: values as Partial<Values<V>>, problems };
}

/** Returns the first rule that a value breaks. */
export function messageOf({ issues }: ZodError): string {
  return issues[0]?.message ?? 'cannot be read';
}

export function problemOf(
  { name, example }: { name: string; example: string },
  message: string,
): ConfigProblem {
  return { variable: name, message, example: `${name}=${example}` };
}

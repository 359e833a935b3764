/** The fields of a generation that filters can test. */
export const FILTER_FIELDS = [
  'model',
  'provider',
  'session_id',
  'user_id',
  'api_key_name',
  'finish_reason',
  'input',
  'output',
  'total_cost',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
] as const;
export type FilterField = (typeof FILTER_FIELDS)[number];

/** The fields that hold numbers; `total_cost` is in dollars. */
export const NUMBER_FIELDS: ReadonlySet<FilterField> = new Set<FilterField>([
  'total_cost',
  'total_tokens',
  'prompt_tokens',
  'completion_tokens',
]);

/** The fields that are read from the prompt and the answer, which may be missing. */
export const CONTENT_FIELDS: ReadonlySet<FilterField> = new Set<FilterField>(['input', 'output']);

export const FILTER_OPERATORS = [
  'equals',
  'not_equals',
  'contains',
  'not_contains',
  'regex',
  'starts_with',
  'ends_with',
  'gt',
  'lt',
  'gte',
  'lte',
  'exists',
  'not_exists',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface FilterRule {
  field: FilterField;
  operator: FilterOperator;
  /** Absent for `exists` and `not_exists`. */
  value?: string | number;
}

export interface FilterGroup {
  /** Combines the group's rules. */
  logic: 'and' | 'or';
  rules: FilterRule[];
}

/** A generation passes if it passes every group. */
export interface FilterRules {
  /** False: the rules are kept and not applied. */
  enabled: boolean;
  groups: FilterGroup[];
}

export const MAX_FILTER_GROUPS = 20;
export const MAX_FILTER_RULES = 50;
export const MAX_REGEX_LENGTH = 512;

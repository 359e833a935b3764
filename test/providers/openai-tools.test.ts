import { describe, expect, test } from '@jest/globals';
import type { UnsupportedFieldsError } from '../../domain/unsupported-fields.ts';
import type { Deviation } from '../../domain/catalog/deviations.ts';
import type { ModelReasoning } from '../../domain/catalog/model-facts.ts';
import { toOpenAi } from '../../providers/openai/to-openai.ts';

const TOOLS = { tools: [{ type: 'function', function: { name: 'weather' } }] };
const REFUSING: Deviation[] = ['no_reasoned_tools'];
const OPTIONAL: ModelReasoning = { mandatory: false, supportedEfforts: ['high', 'none'] };
const MANDATORY: ModelReasoning = { mandatory: true, supportedEfforts: ['high', 'low'] };

function issuesOf(fields: object, reasoning = OPTIONAL, deviations = REFUSING): unknown {
  try {
    toOpenAi({ model: 'm', ...fields }, deviations, reasoning);
    return [];
  } catch (error) {
    return (error as UnsupportedFieldsError).issues;
  }
}

const REFUSED = 'cannot be combined with reasoning by the provider of this model; use POST /responses';

describe('tools at an endpoint that takes none with reasoning', () => {
  test.each<[object, string]>([
    [TOOLS, 'tools'],
    [{ ...TOOLS, reasoning_effort: 'low' }, 'tools'],
    [{ ...TOOLS, reasoning: { effort: 'high' } }, 'tools'],
    [{ ...TOOLS, reasoning: { max_tokens: 1_000 } }, 'tools'],
    [{ functions: [{ name: 'weather' }] }, 'functions'],
  ])('fail, and the message names both ways out: %j', (fields, name) => {
    const message = `${REFUSED}, or set the reasoning effort to \`none\``;
    expect(issuesOf(fields)).toEqual([{ path: `body.${name}`, message }]);
  });

  test('fail with one way out if the model always reasons', () => {
    expect(issuesOf(TOOLS, MANDATORY)).toEqual([{ path: 'body.tools', message: REFUSED }]);
  });

  test.each<[object, ModelReasoning, Deviation[]]>([
    [{ ...TOOLS, reasoning_effort: 'none' }, OPTIONAL, REFUSING],
    [{ ...TOOLS, reasoning: { effort: 'none' } }, OPTIONAL, REFUSING],
    [TOOLS, { mandatory: false, defaultEffort: 'none' }, REFUSING],
    [{ tools: [], reasoning_effort: 'low' }, OPTIONAL, REFUSING],
    [{ reasoning_effort: 'low' }, OPTIONAL, REFUSING],
    [{ ...TOOLS, reasoning_effort: 'low' }, OPTIONAL, []],
  ])('pass without reasoning, and elsewhere: %j', (fields, reasoning, deviations) => {
    expect(issuesOf(fields, reasoning, deviations)).toEqual([]);
  });
});

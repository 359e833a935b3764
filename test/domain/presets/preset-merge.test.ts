import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { mergePreset, parsePresetReference } from '../../../domain/presets/preset-merge.ts';

describe('a reference to a preset', () => {
  test.each<[string, unknown, unknown, unknown]>([
    ['in place of a model', '@preset/writer', undefined, { slug: 'writer' }],
    ['behind a model', 'acme/pen@preset/writer', undefined, { slug: 'writer', model: 'acme/pen' }],
    ['behind a variant', 'acme/pen:free@preset/writer', null, { slug: 'writer', model: 'acme/pen:free' }],
    ['beside a model', 'acme/pen', 'writer', { slug: 'writer', model: 'acme/pen' }],
    ['alone', undefined, 'writer', { slug: 'writer' }],
    ['twice, the same', '@preset/writer', 'writer', { slug: 'writer' }],
    ['to nothing', '@preset/', undefined, { slug: '' }],
    ['with a second mark', '@preset/a@preset/b', undefined, { slug: 'a@preset/b' }],
  ])('parses a reference %s', (_where, model, preset, expected) => {
    expect(parsePresetReference(model, preset)).toEqual(expected);
  });

  test.each<[unknown, unknown]>([
    ['acme/pen', undefined],
    ['acme/pen', null],
    [undefined, undefined],
    [null, null],
    ['preset/writer', undefined],
    ['@presets/writer', undefined],
  ])('yields null for model %j and preset %j', (model, preset) => {
    expect(parsePresetReference(model, preset)).toBeNull();
  });

  test('fails with invalid_request when model and preset name different presets', () => {
    expect(() => parsePresetReference('@preset/writer', 'reader')).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        options: { issues: [{ path: 'body.preset', message: 'must be the preset that model names' }] },
      }),
    );
  });
});

const fn = (name: string, description: string) => ({ type: 'function', function: { name, description } });
const messages = [{ role: 'user', content: 'Hello' }];

describe('mergePreset', () => {
  test("replaces a preset's fields with those of the request, without merging deeper", () => {
    const config = { model: 'a/b', temperature: 0.2, provider: { sort: 'price', zdr: true }, top_k: 4 };
    const request = { model: '@preset/p', messages, temperature: 1, provider: { only: ['acme'] } };
    expect(mergePreset(config, null, request)).toEqual({
      model: 'a/b',
      messages,
      temperature: 1,
      provider: { only: ['acme'] },
      top_k: 4,
    });
  });

  test.each<[string, object, object, unknown]>([
    ['the preset is in place of the model', { model: 'a/b' }, { model: '@preset/p' }, 'a/b'],
    ['the preset is named beside', { model: 'a/b' }, { preset: 'p' }, 'a/b'],
    ['the request has its own', { model: 'a/b' }, { preset: 'p', model: 'c/d' }, 'c/d'],
    ['the request has its own before the mark', { model: 'a/b' }, { model: 'c/d@preset/p' }, 'c/d'],
    ['neither has one', {}, { model: '@preset/p' }, undefined],
    ['the request has a list of its own', { model: 'a/b' }, { preset: 'p', models: ['c/d'] }, undefined],
    ['the list is beside the preset', { model: 'a/b' }, { model: '@preset/p', models: ['c/d'] }, 'a/b'],
  ])('picks the right model when %s', (_when, config, request, model) => {
    const merged = mergePreset(config as never, null, request as never);
    expect(merged['model']).toBe(model);
    expect(merged).not.toHaveProperty('preset');
  });

  test('treats null fields of the request as absent', () => {
    const config = { model: 'a/b', max_tokens: 10, tools: [fn('a', '')], provider: { only: ['acme'] } };
    const nulls = { model: null, tools: null, max_completion_tokens: null, provider: null, stop: null };
    expect(mergePreset(config, null, { ...nulls, preset: 'p', messages })).toEqual({ ...config, messages });
  });

  test.each([
    [{ max_tokens: 10 }, { max_completion_tokens: 5 }],
    [{ max_completion_tokens: 10 }, { max_tokens: 5 }],
    [{ reasoning: { effort: 'high' } }, { reasoning_effort: 'low' }],
    [{ reasoning_effort: 'high' }, { reasoning: { max_tokens: 100 } }],
  ])('drops from the preset %j when the request spells that field differently', (config, request) => {
    expect(mergePreset(config, null, request)).toEqual(request);
  });

  test.each<[string, object, object, unknown]>([
    [
      'an older route',
      { provider: { sort: { by: 'price', partition: 'none' }, zdr: true } },
      { route: 'fallback' },
      { sort: { by: 'price' }, zdr: true },
    ],
    ['an older route, beside nothing', {}, { route: 'sort' }, undefined],
    ['no partition', { provider: { sort: 'price' } }, { route: 'sort' }, { sort: 'price' }],
    [
      'nothing',
      { provider: { sort: { partition: 'none' } } },
      { route: null },
      { sort: { partition: 'none' } },
    ],
    [
      'preferences',
      { provider: { sort: { partition: 'none' } } },
      { provider: { zdr: true } },
      { zdr: true },
    ],
  ])("lets the request's %s win over the preset's partition", (_how, config, request, provider) => {
    expect(mergePreset(config as never, null, request as never)['provider']).toEqual(provider);
  });

  test('matches flat functions by name', () => {
    const flat = (name: string, description: string) => ({ name, description, input_schema: {} });
    const config = { tools: [flat('search', 'of the preset'), flat('read', 'of the preset')] };
    const request = { tools: [flat('read', 'of the request'), flat('write', 'only here')] };
    expect(mergePreset(config, null, request)['tools']).toEqual([
      flat('search', 'of the preset'),
      flat('read', 'of the request'),
      flat('write', 'only here'),
    ]);
  });

  test("unites tools by type and name in the preset's order, with the request's versions", () => {
    const named = (type: string, name: string, extra: object = {}) => ({
      type,
      parameters: { name, ...extra },
    });
    const config = {
      tools: [
        fn('search', 'of the preset'),
        { type: 'openrouter:web_search', parameters: { max_results: 3 } },
        named('openrouter:advisor', 'lawyer'),
        named('openrouter:advisor', 'editor'),
        named('openrouter:subagent', 'lawyer'),
      ],
    };
    const request = {
      tools: [
        fn('write', 'only here'),
        named('openrouter:advisor', 'editor', { model: 'a/b' }),
        fn('search', 'of the request'),
        { type: 'openrouter:web_search' },
        { type: 'openrouter:datetime' },
      ],
    };
    expect(mergePreset(config, null, request)['tools']).toEqual([
      fn('search', 'of the request'),
      { type: 'openrouter:web_search' },
      named('openrouter:advisor', 'lawyer'),
      named('openrouter:advisor', 'editor', { model: 'a/b' }),
      named('openrouter:subagent', 'lawyer'),
      fn('write', 'only here'),
      { type: 'openrouter:datetime' },
    ]);
  });
});

describe('the system prompt of a preset', () => {
  const merged = (request: object[]) => mergePreset({}, 'Be brief.', { messages: request })['messages'];

  test('becomes the first message', () => {
    expect(merged(messages)).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages]);
    expect(merged([])).toEqual([{ role: 'system', content: 'Be brief.' }]);
  });

  test.each([
    ['Talk of boats.', 'Be brief.\n\nTalk of boats.'],
    ['', 'Be brief.'],
    [
      [{ type: 'text', text: 'Boats.' }],
      [
        { type: 'text', text: 'Be brief.' },
        { type: 'text', text: 'Boats.' },
      ],
    ],
  ])('joins the first system or developer message of the request', (content, joined) => {
    for (const role of ['system', 'developer']) {
      const first = { role, content, name: 'house' };
      expect(merged([first, ...messages])).toEqual([{ role, content: joined, name: 'house' }, ...messages]);
    }
  });

  test.each(['Be brief.', 'Be brief. Talk of boats.', [{ type: 'text', text: 'Be brief.' }]])(
    'appears once if the request already begins with it',
    (content) => {
      const same = [{ role: 'system', content }, ...messages];
      expect(merged(same)).toEqual(same);
    },
  );

  test('appears once if several messages of the request together contain it', () => {
    const same = [
      { role: 'system', content: 'Be' },
      ...messages,
      { role: 'developer', content: [{ type: 'text', text: 'brief.' }] },
    ];
    expect(mergePreset({}, 'Be\n\nbrief.', { messages: same })['messages']).toEqual(same);
  });

  test('adds no message when it is null', () => {
    expect(mergePreset({}, null, { messages })).toEqual({ messages });
  });
});

describe('mergePreset with arbitrary presets and requests', () => {
  const value = fc.jsonValue({ maxDepth: 2 });
  const name = fc.oneof(fc.constantFrom('temperature', 'stop', '__proto__', 'constructor', 'x'), fc.string());
  const fields = fc.dictionary(name, value).map((made) => JSON.parse(JSON.stringify(made)) as object);
  const plain = (made: object) =>
    Object.entries(made).filter(([key]) => !/^(model|models|preset|tools|messages|max_|reasoning)/.test(key));

  test('takes each field from the request, else from the preset', () => {
    fc.assert(
      fc.property(fields, fields, (config, request) => {
        const merged = Object.fromEntries(plain(mergePreset(config as never, null, request as never)));
        const said = plain(request).filter(([, held]) => held !== null);
        const expected = new Map([...plain(config), ...said]);
        expect(new Map(Object.entries(merged))).toEqual(expected);
        expect(Object.getPrototypeOf(merged)).toBe(Object.prototype);
      }),
    );
  });

  const tool = fc.record({
    type: fc.constant('function'),
    function: fc.record({ name: fc.constantFrom('a', 'b', 'c', 'd', 'e') }),
    n: fc.nat(),
  });
  const tools = fc.uniqueArray(tool, { selector: (made) => made.function.name });

  test("lists each tool once, the preset's first, in the request's version if it has one", () => {
    fc.assert(
      fc.property(tools, tools, (ofPreset, ofRequest) => {
        const united = mergePreset({ tools: ofPreset }, null, { tools: ofRequest })[
          'tools'
        ] as typeof ofPreset;
        const names = (list: typeof ofPreset) => list.map((made) => made.function.name);
        expect(names(united)).toEqual([...new Set([...names(ofPreset), ...names(ofRequest)])]);
        for (const made of ofRequest) expect(united).toContainEqual(made);
        for (const made of united) expect([...ofPreset, ...ofRequest]).toContainEqual(made);
      }),
    );
  });

  test('keeps both inputs unchanged, and returns the same for its own result', () => {
    fc.assert(
      fc.property(
        fields,
        tools,
        fields,
        tools,
        fc.string({ minLength: 1 }),
        (config, a, request, b, prompt) => {
          const preset = Object.freeze({ ...config, model: 'a/b', tools: Object.freeze(a) });
          const asked = Object.freeze({ ...request, model: '@preset/p', tools: Object.freeze(b), messages });
          const merged = mergePreset(preset, prompt, asked);
          expect(mergePreset(preset, prompt, merged)).toEqual(merged);
        },
      ),
    );
  });
});

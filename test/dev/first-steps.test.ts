import { describe, expect, test } from '@jest/globals';
import { firstSteps } from '../../dev/stack/first-steps.ts';
import type { DevFile } from '../../dev/stack/dev-file.ts';
import { stackProviders } from '../../dev/stack/providers.ts';

const facts = { base_url: 'http://127.0.0.1:8080/api/v1', api_key: 'sk-slc-x', temporal_ui: null } as DevFile;
const LINK = 'http://127.0.0.1:8080/console/sign-in#link=abc';
const steps = (env: NodeJS.ProcessEnv) =>
  firstSteps(facts, 'local/clip-1', '.data/dev.json', stackProviders(env), LINK);

describe('the first steps that npm start prints', () => {
  test('name only the local provider, a key that adds a vendor, and the command that lists all', () => {
    const text = steps({});
    expect(text).toMatch(/^ {2}Providers +local$/m);
    expect(text).toMatch(/^PROVIDER_\w+_API_KEY=… npm start$/m);
    expect(text).toMatch(/^npm run admin -- providers list /m);
  });

  test("name the command that lists the operators' commands", () => {
    expect(steps({})).toMatch(/^npm run admin -- --help +lists the commands/m);
  });

  test('begin with a link that signs in to the console', () => {
    expect(steps({})).toMatch(/^ {2}Console +http:\S+#link=abc$/m);
  });

  test('name the folder of the logs', () => {
    expect(steps({})).toMatch(/^ {2}Logs +\.data\/logs$/m);
  });

  test('say which model server was found on this machine, and nothing of servers without one', () => {
    const own = {
      slug: 'ollama',
      name: 'Ollama',
      baseUrl: 'http://127.0.0.1:11434/v1',
      models: ['ollama/a:1b'],
    };
    const text = firstSteps(facts, 'local/clip-1', '.data/dev.json', stackProviders({}, [own]), LINK);
    expect(text).toMatch(/^ {2}Providers +local, ollama$/m);
    expect(text).toMatch(/^ {2}Ollama +found at \S+: 1 model, free of charge, such as ollama\/a:1b$/m);
    expect(steps({})).not.toMatch(/Ollama|LM Studio/);
  });

  test('begin with a chat if a vendor or this machine has a model for it, and else with a video', () => {
    expect(steps({})).toContain('Submit a video job:');
    expect(steps({ PROVIDER_GOOGLE_API_KEY: 'k' })).toContain('Send a chat to google/gemini-3.1-flash-lite:');
    const own = { slug: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:1/v1' };
    const models = ['ollama/vectors:1b', 'ollama/a:1b'];
    const found = stackProviders({}, [{ ...own, models, chatModel: 'ollama/a:1b' }]);
    const text = firstSteps(facts, 'local/clip-1', '.data/dev.json', found, LINK);
    expect(text).toMatch(/^Send a chat to ollama\/a:1b:\n\ncurl -s \S+\/chat\/completions/m);
    expect(text).toContain('Add another vendor');
  });

  test('say what to do with an Ollama without models', () => {
    const own = { slug: 'ollama', name: 'Ollama', baseUrl: 'http://127.0.0.1:1/v1', models: [] };
    const text = firstSteps(facts, 'local/clip-1', '.data/dev.json', stackProviders({}, [own]), LINK);
    expect(text).toMatch(/^ {2}Ollama +found at \S+ without a model\. .+: ollama pull llama3\.2$/m);
    expect(text).toMatch(/^ {2}Providers +local$/m);
  });

  test('name the configured providers and hide their keys', () => {
    const text = steps({
      PROVIDER_OPENAI_API_KEY: 'sk-secret',
      PROVIDER_OLLAMA_BASE_URL: 'http://127.0.0.1:11434/v1',
    });
    expect(text).toMatch(/^ {2}Providers +local, openai, ollama$/m);
    expect(text).not.toContain('PROVIDER_OPENAI_API_KEY');
    expect(text).not.toContain('sk-secret');
  });
});

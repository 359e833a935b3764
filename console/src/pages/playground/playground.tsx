/** Lets people chat with one model or two, with a key of their choice. */
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button/button.tsx';
import { CopyButton } from '../../parts/copy/copy.tsx';
import { Page } from '../../parts/page/page.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';
import { chatBodyOf, DEFAULT_SETTINGS, problemOfTools } from './chat-body.ts';
import { useChatModels } from './models.tsx';
import { Composer } from './composer.tsx';
import { useConversation, type Question } from './conversation.ts';
import { usePayingKeys } from './paying-keys.ts';
import styles from './playground.module.css';
import { SettingsPanel } from './settings-panel.tsx';
import { curlSnippet, pythonSnippet, typescriptSnippet } from './snippets.ts';
import type { ChatBody } from './stream-chat.ts';
import { Transcript } from './transcript.tsx';

const route = getRouteApi('/playground');

const NO_QUESTION: Question = { text: '', images: [] };

export function Playground() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { keys, more: moreKeys, error: keysError } = usePayingKeys();
  const { models, find, error: modelsError } = useChatModels();
  const [settings, setSettings] = useState(DEFAULT_SETTINGS);
  const [draft, setDraft] = useState(NO_QUESTION);
  const [first, other] = [useConversation(), useConversation()];
  const model = search.model ?? models[0]?.id ?? '';
  const second = search.second ?? '';
  const payingKey = search.key ?? keys?.[0]?.hash ?? '';
  const both = [first, other];
  const isBusy = both.some((conversation) => conversation.isBusy);
  const send = (question: Question): void => {
    first.send(question, (...said) => chatBodyOf(model, settings, ...said), payingKey);
    if (second !== '') other.send(question, (...said) => chatBodyOf(second, settings, ...said), payingKey);
    setDraft(NO_QUESTION);
  };
  const hasTools = problemOfTools(settings.tools) === undefined;
  return (
    <Page
      title="Playground"
      about="Try a model. Requests are real: they are billed to the key that you choose."
      actions={
        <Actions
          body={hasTools ? () => chatBodyOf(model, settings, first.turns, draft) : undefined}
          onClear={isBusy ? undefined : () => both.forEach(({ clear }) => clear())}
        />
      }
    >
      <Problems errors={[modelsError, keysError]} />
      <div className={styles['layout']}>
        <div className="stack">
          <div className={styles['transcripts']}>
            <Transcript name={model} model={find(model)} turns={first.turns} />
            {second !== '' && <Transcript name={second} model={find(second)} turns={other.turns} />}
          </div>
          <Composer
            isBusy={isBusy}
            missing={missingOf(model, payingKey, keys === undefined, hasTools)}
            onSend={send}
            onStop={() => both.forEach(({ stop }) => stop())}
            onDraft={setDraft}
          />
        </div>
        <SettingsPanel
          models={models}
          model={model}
          second={second}
          keys={keys ?? []}
          onMoreKeys={moreKeys}
          payingKey={payingKey}
          settings={settings}
          onSearch={(part) => void navigate({ search: (last) => ({ ...last, ...part }), replace: true })}
          onSettings={setSettings}
        />
      </div>
    </Page>
  );
}

function Problems({ errors }: { errors: (Error | null)[] }) {
  return errors.map((error) => error !== null && <ProblemBox key={error.message} error={error} />);
}

interface ActionsProps {
  /** Returns the next request as it would be sent now. Absent: it would not be valid. */
  body: (() => ChatBody) | undefined;
  onClear: (() => void) | undefined;
}

function Actions({ body, onClear }: ActionsProps) {
  return (
    <>
      {body !== undefined && (
        <>
          <CopyButton look="quiet" label="Copy as curl" text={() => curlSnippet(body())} />
          <CopyButton look="quiet" label="Python" text={() => pythonSnippet(body())} />
          <CopyButton look="quiet" label="TypeScript" text={() => typescriptSnippet(body())} />
        </>
      )}
      <Button disabled={onClear === undefined} onClick={onClear}>
        New conversation
      </Button>
    </>
  );
}

function missingOf(model: string, key: string, isLoading: boolean, hasTools: boolean): string | undefined {
  if (isLoading) return 'Loading your keys…';
  if (key === '') return 'There is no key that pays: create one on the page Keys.';
  if (model === '') return 'Choose a model.';
  return hasTools ? undefined : 'Correct the tools.';
}

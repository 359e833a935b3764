/** Shows the conversation with one model, and what each answer cost. */
import { Link } from '@tanstack/react-router';
import { formatCount, formatMs, formatUsd } from '../../format/numbers.ts';
import { Media } from '../../parts/media/media.tsx';
import { ProblemBox } from '../../parts/states/states.tsx';
import type { Model } from './models.tsx';
import type { Turn } from './conversation.ts';
import styles from './playground.module.css';

interface TranscriptProps {
  name: string;
  model: Model | undefined;
  turns: readonly Turn[];
}

export function Transcript({ name, model, turns }: TranscriptProps) {
  return (
    <section
      className={`stack box ${styles['transcript']}`}
      aria-label={`Conversation with ${name || 'no model'}`}
    >
      <h2 className={styles['modelName']}>
        <bdi>{model?.name ?? (name || 'No model chosen')}</bdi>
      </h2>
      {turns.length === 0 && <p className="muted">Answers appear here as they come.</p>}
      <ol className="stack plainList">
        {turns.map((turn, index) => (
          <li key={index} className="stack">
            <Asked turn={turn} />
            <Answered turn={turn} model={model} />
          </li>
        ))}
      </ol>
    </section>
  );
}

function Asked({ turn: { question } }: { turn: Turn }) {
  return (
    <div className={styles['asked']}>
      <span className="visuallyHidden">You: </span>
      <Media media={question.images.map((url) => ({ kind: 'picture', url }))} from="you" />
      <p className="words" dir="auto">
        {question.text}
      </p>
    </div>
  );
}

function Answered({ turn, model }: { turn: Turn; model: Model | undefined }) {
  const isOpen = turn.state === 'waiting' || turn.state === 'answering';
  return (
    <div className="stack" aria-busy={isOpen}>
      {turn.reasoning !== '' && (
        <details className={styles['reasoning']}>
          <summary>Reasoning</summary>
          <p className="words" dir="auto">
            {turn.reasoning}
          </p>
        </details>
      )}
      {turn.answer !== '' && (
        <p className="words" dir="auto">
          {turn.answer}
        </p>
      )}
      <Media media={turn.media} from="the model" />
      {turn.toolCalls.map(({ id, function: { name, arguments: text } }) => (
        <p key={id} className="words" dir="auto">
          Calls <code>{name}</code> with <code>{text}</code>. Your next message is the result.
        </p>
      ))}
      {turn.state === 'waiting' && <p className="muted">Waiting for the first token…</p>}
      {turn.problem !== undefined && <ProblemBox error={turn.problem} />}
      <Facts turn={turn} model={model} />
    </div>
  );
}

function Facts({ turn, model }: { turn: Turn; model: Model | undefined }) {
  const { usage, generationId, firstMs, totalMs, state } = turn;
  if (state === 'waiting') return null;
  return (
    <small className="row" role="status">
      {state === 'stopped' && <span>Stopped.</span>}
      {usage ? (
        <>
          <span>{formatUsd(usage.cost)}</span>
          <span>
            {formatCount(usage.prompt_tokens)} tokens in, {formatCount(usage.completion_tokens)} out
          </span>
        </>
      ) : (
        state === 'answering' && <span>about {formatUsd(costSoFar(turn, model))} so far</span>
      )}
      {firstMs !== undefined && <span>first token after {formatMs(firstMs)}</span>}
      {totalMs !== undefined && <span>{formatMs(totalMs)} in total</span>}
      {generationId !== undefined && totalMs !== undefined && (
        <Link to="/generations/$id" params={{ id: generationId }}>
          Generation
        </Link>
      )}
    </small>
  );
}

/** Tokens of most languages have about this many characters. */
const CHARACTERS_PER_TOKEN = 4;

/** Estimates the cost until the stream says it. */
function costSoFar({ question, answer, reasoning }: Turn, model: Model | undefined): number | null {
  if (model === undefined) return null;
  const { prompt, completion } = model.pricing;
  const asked = question.text.length * Number(prompt);
  return (asked + (answer.length + reasoning.length) * Number(completion)) / CHARACTERS_PER_TOKEN;
}

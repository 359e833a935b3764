/** Keeps the conversation with one model while it is on the page. */
import { useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { asProblem, type Problem } from '../../api/problem.ts';
import { followSession } from '../../api/session.ts';
import type { Medium } from '../../parts/media/medium.ts';
import { streamChat, type ChatBody, type ToolCall, type Usage, withToolCall } from './stream-chat.ts';

export interface Question {
  text: string;
  /** Pictures as data: URLs. */
  images: readonly string[];
}

export interface Turn {
  question: Question;
  answer: string;
  reasoning: string;
  toolCalls: readonly ToolCall[];
  media: readonly Medium[];
  state: 'waiting' | 'answering' | 'done' | 'stopped' | 'failed';
  generationId?: string;
  usage?: Usage;
  problem?: Problem;
  firstMs?: number;
  totalMs?: number;
}

export interface Conversation {
  turns: readonly Turn[];
  isBusy: boolean;
  send(
    question: Question,
    makeBody: (turns: readonly Turn[], question: Question) => ChatBody,
    key: string,
  ): void;
  stop(): void;
  clear(): void;
}

/** The parts of an answer before it begins. */
const NOTHING: Pick<Turn, 'answer' | 'reasoning' | 'toolCalls' | 'media'> = {
  answer: '',
  reasoning: '',
  toolCalls: [],
  media: [],
};

/** Creates a conversation. It stops when the page is left. */
export function useConversation(): Conversation {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const queries = useQueryClient();
  const running = useRef<AbortController>(undefined);
  const stop = useCallback(() => running.current?.abort(), []);
  useEffect(() => stop, [stop]);
  const change = (part: Partial<Turn>): void => {
    if (part.problem !== undefined) followSession(queries, part.problem);
    setTurns((all) => all.map((turn, index) => (index === all.length - 1 ? { ...turn, ...part } : turn)));
  };
  const send: Conversation['send'] = (question, makeBody, key) => {
    const controller = new AbortController();
    running.current = controller;
    const body = makeBody(turns, question);
    setTurns([...turns, { question, ...NOTHING, state: 'waiting' }]);
    void follow(body, key, controller.signal, change);
  };
  const last = turns.at(-1)?.state;
  return { turns, isBusy: last === 'waiting' || last === 'answering', send, stop, clear: () => setTurns([]) };
}

/** Reads an answer to its end, and reports each change of its turn. */
async function follow(
  body: ChatBody,
  key: string,
  signal: AbortSignal,
  change: (part: Partial<Turn>) => void,
): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  let { answer, reasoning, toolCalls, media } = NOTHING;
  let firstMs: number | undefined;
  try {
    for await (const piece of streamChat(body, key, signal)) {
      answer += piece.text;
      reasoning += piece.reasoning;
      toolCalls = piece.toolCalls.reduce(withToolCall, toolCalls);
      media = [...media, ...piece.media];
      if ([answer, reasoning, toolCalls, media].some(({ length }) => length > 0)) firstMs ??= elapsed();
      const facts = {
        ...(piece.usage && { usage: piece.usage }),
        ...(piece.id && { generationId: piece.id }),
      };
      change({ answer, reasoning, toolCalls, media, firstMs, state: 'answering', ...facts });
    }
    change({ state: 'done', totalMs: elapsed() });
  } catch (error) {
    if (signal.aborted) change({ state: 'stopped', totalMs: elapsed() });
    else change({ state: 'failed', problem: asProblem(error), totalMs: elapsed() });
  }
}

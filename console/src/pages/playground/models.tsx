/** Reads the models that answer with text, and chooses one by typing a part of its name. */
import { useId, useState } from 'react';
import { callTo, type Schema, useCall } from '../../api/call.ts';
import { Suggested, TextField } from '../../parts/field/field.tsx';

export type Model = Schema<'Model'>;

/** The catalog changes rarely. */
const FRESH_MS = 300_000;

export function useChatModels() {
  const call = callTo('GET', '/models', { query: { output_modalities: 'text' } });
  const { data, error, failureReason } = useCall(call, { staleTime: FRESH_MS });
  const models: readonly Model[] = data?.data ?? [];
  const find = (id: string) => models.find((model) => model.id === id);
  return { models, find, error: error ?? failureReason };
}

interface ModelFieldProps {
  label: string;
  value: string;
  models: readonly Model[];
  onPick: (model: string) => void;
  hint?: string;
}

export function ModelField({ label, value, models, onPick, hint }: ModelFieldProps) {
  const listId = useId();
  const [draft, setDraft] = useState(value);
  const [last, setLast] = useState(value);
  // Back and forward change the model without this field.
  if (last !== value) {
    setLast(value);
    setDraft(value);
  }
  return (
    <>
      <TextField
        label={label}
        hint={hint}
        list={listId}
        value={draft}
        spellCheck={false}
        onText={(text) => {
          setDraft(text);
          if (models.some(({ id }) => id === text)) onPick(text);
        }}
        onBlur={() => onPick(draft.trim())}
      />
      <Suggested id={listId} values={models} />
    </>
  );
}

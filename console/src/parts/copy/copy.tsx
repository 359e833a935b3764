/** Copies texts to the clipboard, among them each page's calls as curl commands. */
import { useEffect, useState } from 'react';
import { curlOf, type Call } from '../../api/curl.ts';
import { Button, type ButtonProps } from '../button/button.tsx';

interface CopyProps extends Pick<ButtonProps, 'look'> {
  /** Returns the text when it is copied. */
  text: () => string;
  label: string;
}

const SHOWN_MS = 1_500;

export function CopyButton({ text, label, look }: CopyProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>();
  useEffect(() => {
    if (outcome === undefined) return;
    const timer = setTimeout(() => setOutcome(undefined), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = (): void => {
    writeToClipboard(text()).then(
      () => setOutcome('copied'),
      () => setOutcome('failed'),
    );
  };
  return (
    <Button look={look} onClick={copy}>
      <span aria-live="polite">
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Not allowed here' : label}
      </span>
    </Button>
  );
}

/** Copies the call of a list or an action, with the key as a variable. */
export function CopyCurl({ call }: { call: Call }) {
  return <CopyButton look="quiet" label="Copy as curl" text={() => curlOf(call)} />;
}

/** Browsers offer a clipboard only on https and on this machine. */
async function writeToClipboard(text: string): Promise<void> {
  await navigator.clipboard.writeText(text);
}

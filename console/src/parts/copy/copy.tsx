/** Copies texts to the clipboard, among them each page's calls as curl commands. */
import { useEffect, useState } from 'react';
import { curlOf, type CurlCall } from '../../api/curl.ts';
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
        {outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Copying failed' : label}
      </span>
    </Button>
  );
}

/** Copies the call of a list or an action, with the key as a variable. */
export function CopyCurl({ call, label = 'Copy as curl' }: { call: CurlCall; label?: string }) {
  return <CopyButton look="quiet" label={label} text={() => curlOf(call)} />;
}

/** Browsers offer a clipboard to pages of https and of this machine. Others copy what is selected. */
async function writeToClipboard(text: string): Promise<void> {
  if ('clipboard' in navigator) return navigator.clipboard.writeText(text);
  const area = document.createElement('textarea');
  area.value = text;
  // An open dialog lets nothing outside of it be selected.
  (document.querySelector('dialog[open]') ?? document.body).append(area);
  area.select();
  const isCopied = document.execCommand('copy');
  area.remove();
  if (!isCopied) throw new Error('The browser does not copy.');
}

/** Keeps the place of those who work by keyboard when what they focused is gone, such as a form that was sent. */

/** Moves the focus to the open dialog, or else to the page, when its element has left or was disabled. */
export function keepFocus(): () => void {
  let last: Element | null = null;
  const note = (): void => {
    last = document.activeElement;
  };
  const observer = new MutationObserver(() => {
    const isGone = last !== null && (!last.isConnected || last.matches(':disabled'));
    if (!isGone || ![document.body, last].includes(document.activeElement)) return;
    const place = document.querySelector<HTMLElement>(
      'dialog[open] button, #content:not(:has(dialog[open]))',
    );
    place?.focus({ preventScroll: true });
  });
  document.addEventListener('focusin', note);
  observer.observe(document.body, { childList: true, subtree: true, attributeFilter: ['disabled'] });
  return () => {
    document.removeEventListener('focusin', note);
    observer.disconnect();
  };
}

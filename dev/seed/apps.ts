/** Lists the invented apps whose usage the seed command generates. */
import type { AppFacts } from '../../domain/ledger/generation.ts';

/** A synthetic app, with a name that says so. */
export interface SyntheticApp extends AppFacts {
  title: string;
  /** A prompt on the app's topic, which rankings classify like real prompts. */
  prompt: string;
}

const app = (name: string, prompt: string): SyntheticApp => ({
  origin: `https://${name.toLowerCase().replaceAll(' ', '-')}.synthetic.example`,
  title: `${name} (synthetic)`,
  prompt,
});

/** The apps by use, the most used first. */
export const APPS: readonly SyntheticApp[] = [
  app('Patch Pilot', '```\nconst sum = (a, b) => a + b;\n```\nRefactor this function and add unit tests.'),
  app('Tavern Tales', 'Stay in character: the tavern narrator greets the protagonist of our story.'),
  app('Support Desk', 'Answer this customer politely and briefly.'),
  app('Deep Notes', 'Summarize what was said in the meeting.'),
  app('Polyglot', 'Translate this translation back and say what was translated wrongly.'),
  app('Query Smith', 'Write an SQL query with an index for this database api and debug the exception.'),
  app('Ad Copy', 'Write a slogan and a tagline for the campaign of our brand.'),
  app('Rank Lift', 'Suggest SEO keywords, a meta snippet and backlinks for this page.'),
  app('Counsel Draft', 'Review this contract clause for liability and jurisdiction.'),
  app('Ledger Lens', 'Explain this portfolio: dividend, interest, tax and inflation.'),
  app('Care Line', 'Which symptoms and which treatment does the doctor describe to the patient?'),
  app('Lab Partner', 'Explain the experiment: protein, enzyme and gene in this hypothesis.'),
  app('Thesis Coach', 'Check the citations and the bibliography of my thesis.'),
  app('Quiz Night', 'Make a trivia quiz with fun facts: who was the oldest, what is the largest?'),
  app('Gadget Guide', 'Compare this laptop with that phone: processor, software and router.'),
];

/** The kinds of content, in the order of their bits in the ledger: new ones go to the end. */
export const MODALITIES = ['text', 'image', 'audio', 'video', 'file', 'embeddings', 'rerank'] as const;
export type Modality = (typeof MODALITIES)[number];

/** What of a project's files would act, were the directory trusted. */
export interface ProjectTrustView {
  directory: string;
  /** The files are others than those that were trusted. */
  hasChanged: boolean;
  files: readonly { file: string; parts: readonly { key: string; value: unknown }[] }[];
}

export type TrustDecision = 'not-now' | 'always' | 'session';

/** Who looks at the project's files, and keeps the decision. */
export interface ProjectTrust {
  /** Null: there is nothing to ask. */
  view(): Promise<ProjectTrustView | null>;
  /** For the files as `view` has shown them. Rejects with what to tell the person. */
  decide(decision: TrustDecision): Promise<void>;
}

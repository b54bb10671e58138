/** Where it is written which process is at a piece of work that only one may do at a time, and how far it is. */
export interface WorkBoard {
  /** Takes the work, or keeps it. `false`: another process is at it. */
  claim(): Promise<boolean>
  save(progress: string): Promise<void>
  end(): Promise<void>
  /** The progress that was saved last, by any process; `null`: none was. */
  read(): Promise<{ readonly progress: string; readonly isOwned: boolean } | null>
}

/** For the only process of an installation. */
export function createOwnBoard(): WorkBoard {
  return { claim: async () => true, save: async () => {}, end: async () => {}, read: async () => null }
}

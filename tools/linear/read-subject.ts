import type { JsonObject } from '@sluice/vendors/core/json'
import { readSources } from '../sources.ts'
import { protocolDocuments } from './protocol-documents.ts'
import { objectsOf, readDocuments } from './read-documents.ts'
import { type Exported, isWatched, readExports } from './read-functions.ts'

/** What is measured: the exports of the watched folders, and the documents of which hostile ones are made. */
export interface Subject {
  readonly exports: readonly Exported[]
  /** By folder; `whole`: of the protocols, for all; `*`: and the objects within them. */
  readonly documents: Readonly<Record<string, readonly JsonObject[]>>
}

export async function readSubject(): Promise<Subject> {
  const sources = await readSources()
  return {
    exports: sources.filter(isWatched).flatMap(readExports),
    documents: { ...readDocuments(sources), whole: protocolDocuments, '*': objectsOf(protocolDocuments) },
  }
}

import { type FilmFacts, mp4Facts } from '@sluice/contract'
import { useEffect, useState } from 'react'

interface Read {
  readonly file: File
  /** `null` = it is no film. */
  readonly facts: FilmFacts | null
}

/** What the header of a film says; `null` = it is none, `undefined` = it is being read, or there is none. */
export function useFilmFacts(film: File | undefined): FilmFacts | null | undefined {
  const [read, setRead] = useState<Read | null>(null)
  useEffect(() => {
    if (film === undefined) return
    let isCurrent = true
    // A file that cannot be read any more is refused when it is sent.
    void factsOf(film)
      .catch(() => null)
      .then((facts) => {
        if (isCurrent) setRead({ file: film, facts })
      })
    return () => {
      isCurrent = false
    }
  }, [film])
  return film !== undefined && read?.file === film ? read.facts : undefined
}

async function factsOf(film: File): Promise<FilmFacts | null> {
  return mp4Facts(new Uint8Array(await film.arrayBuffer()))
}

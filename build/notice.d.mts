/** A package of others, with the text of its licence. */
export interface CarriedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly text: string;
}

/** An installed package. */
export function installedPackage(folder: string): CarriedPackage;

/** The packages that an installation includes, and the packages in the page. */
export function neededPackages(): readonly CarriedPackage[];

/** The text of the notice. */
export function notice(): string;

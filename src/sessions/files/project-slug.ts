/** The longest slug that is used unchanged; a longer one is cut and made unique by a hash of the whole path. */
const MAX_SLUG = 200;

/**
 * The folder name of a project: its real path with every UTF-16 unit outside `[A-Za-z0-9]` as a dash. Two projects may
 * share one (`/a/b` and `/a-b`); session ids keep their sessions apart.
 */
export function projectSlug(project: string): string {
  const whole = wholeSlug(project);
  if (whole.length <= MAX_SLUG) return whole;
  return `${whole.slice(0, MAX_SLUG)}-${pathHash(project)}`;
}

/**
 * Every folder name under which sessions of a project may be found, Heddle's own first: older versions of the reference
 * never cut the slug.
 */
export function projectSlugs(project: string): string[] {
  const slug = projectSlug(project);
  const whole = wholeSlug(project);
  return slug === whole ? [slug] : [slug, whole];
}

function wholeSlug(project: string): string {
  return project.replace(/[^A-Za-z0-9]/g, '-');
}

/** The 32-bit `h * 31 + unit` string hash, in base 36. */
function pathHash(project: string): string {
  let hash = 0;
  for (let i = 0; i < project.length; i++) hash = (Math.imul(hash, 31) + project.charCodeAt(i)) | 0;
  return Math.abs(hash).toString(36);
}

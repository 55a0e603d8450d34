import type { SimpleCommand, Word } from '../shell/shell-script.ts';
import { type Argv, type Findings, type Grammar, neverKnown } from './grammar.ts';

const RUN =
  'a,attach=text add-host=text c,cpu-shares=text cap-add=text cap-drop=text cpus=text d,detach dns=text e,env=text env-file=in entrypoint=text expose=text group-add=text h,hostname=text health-cmd=never init i,interactive ip=text l,label=text label-file=in link=text log-driver=text log-opt=text m,memory=text memory-swap=text mount=text name=text network,net=text network-alias=text no-healthcheck oom-kill-disable pid=text pids-limit=text platform=text privileged p,publish=text P,publish-all pull=text q,quiet read-only restart=text rm runtime=text security-opt=text shm-size=text sig-proxy=?text stop-signal=text stop-timeout=text storage-opt=text sysctl=text tmpfs=text t,tty ulimit=text u,user=text userns=text uts=text v,volume=text volumes-from=text w,workdir=text gpus=text device=text ipc=text cgroupns=text isolation=text annotation=text';
const BUILD =
  'add-host=text build-arg=text build-context=text cache-from=text cache-to=text f,file=script force-rm label=text load m,memory=text network=text no-cache no-cache-filter=text output,o=out platform=text progress=text pull push q,quiet rm secret=text ssh=text squash t,tag=text target=text iidfile=out metadata-file=out builder=text';
const COMPOSE =
  'f,file=script p,project-name=text profile=text env-file=in project-directory=at d,detach build no-build no-deps no-recreate force-recreate remove-orphans v,volumes rm q,quiet T,no-TTY t,timeout=text wait wait-timeout=text a,all tail=text follow no-color no-log-prefix timestamps since=text until=text no-cache pull=?text scale=text abort-on-container-exit exit-code-from=text always-recreate-deps format=text services ignore-pull-failures parallel=text progress=text ansi=text e,env=text u,user=text w,workdir=text name=text service-ports s,signal=text rmi=text status=text filter=text index=text i,interactive';
const LIST =
  'a,all f,filter=text format=text n,last=text l,latest no-trunc q,quiet s,size digests tree follow since=text until=text t,tail=text timestamps details type=text force volumes time=text signal=text no-prune all-tags platform=text disable-content-trust link driver=text subnet=text opt=text label=text o=text i,input=in output=out message=text author=text pause no-stream ip=text alias=text';

/** Containers and clusters. */
export const CONTAINERS: readonly Grammar[] = [
  { names: 'docker podman nerdctl', read: docker },
  { names: 'docker-compose podman-compose', read: ({ words }, found) => compose(words, found) },
  { names: 'kubectl oc', read: kubectl },
  neverKnown(
    'kustomize skaffold tilt k9s minikube kind k3d vagrant ansible ansible-playbook ansible-console puppet chef salt terragrunt pulumi packer buildah skopeo lxc lxc-attach lxd incus runc crun ctr crictl virsh qemu-system-x86_64 qemu-x86_64 wine wine64 multipass colima limactl devcontainer',
    'it runs what its words and files say',
  ),
];

function docker({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const [first, second, ...others] = words;
  const isGroup = typeof first === 'string' && /^(?:container|image|buildx|builder)$/.test(first);
  const name = isGroup ? second : first;
  const rest = isGroup ? others : words.slice(1);
  if (name === '--version' || name === 'version' || name === 'info') return;
  if (typeof name !== 'string' || name.startsWith('-')) return found.doubt('its options are not known');
  if (name === 'compose') return compose(rest, found);
  if (name === 'run' || name === 'create') {
    return found.readBy(
      { names: '', options: RUN, operands: 'text argv', optionsFirst: true, exact: true, more: mounts },
      rest,
    );
  }
  if (name === 'exec') {
    return found.readBy(
      {
        names: '',
        options: 'd,detach e,env=text env-file=in i,interactive t,tty u,user=text w,workdir=text privileged',
        operands: 'text argv',
        optionsFirst: true,
        exact: true,
      },
      rest,
    );
  }
  if (name === 'build')
    return found.readBy({ names: '', options: BUILD, operands: 'tree', exact: true, more: buildOutput }, rest);
  if (name === 'cp') {
    for (const word of rest) found.file(word, 'edit');
    return;
  }
  const known =
    /^(?:ps|ls|list|images|image|logs|inspect|pull|push|tag|rm|rmi|stop|start|restart|kill|pause|unpause|wait|top|stats|port|diff|history|search|login|logout|network|volume|system|events|rename|prune|save|load|commit|attach|context|df)$/;
  if (!known.test(name)) return found.doubt('its subcommand is not known');
  found.readBy({ names: '', options: LIST, operands: 'text*', exact: true }, rest);
}

/** A part of the host's files inside of the container; and an entry point is a program. */
function mounts(argv: Argv, found: Findings) {
  for (const { name, value } of argv.given) {
    if (value === undefined) continue;
    if (name === 'entrypoint') found.starts([value, ...argv.operands.slice(1)]);
    if (name === 'v') {
      const host: Word =
        typeof value === 'string' ? (value.split(':')[0] ?? '') : { parts: [{ any: 'text' }], many: false };
      if (argv.operands.slice(1).every(isBareWord)) {
        // Then the program in the image gets no path, and works in the directory as any other program would.
        found.file(host, 'edit');
        found.passes(argv.operands.slice(1));
      } else {
        found.file(host, 'tree');
        found.file(host, 'taken');
      }
    }
    if (name === 'mount') found.doubt('which files it mounts cannot be told');
  }
}

/** A word that is neither a path of its own nor code: `npm test`, `--watch`. */
function isBareWord(word: Word): boolean {
  return typeof word === 'string' && /^[\w@:.=-]+$/.test(word) && !/^\.{1,2}$|^(?:ba|da|z|k|c)?sh$/.test(word);
}

function buildOutput(argv: Argv, found: Findings) {
  const output = argv.value('output');
  if (output !== undefined && (typeof output !== 'string' || /[=,]/.test(output)))
    found.doubt('where it writes cannot be told');
  if (argv.has('build-context', 'secret')) found.doubt('which files it reads cannot be told');
}

function compose(words: readonly Word[], found: Findings) {
  found.changes();
  const at = words.findIndex(
    (word) =>
      typeof word === 'string' &&
      /^(?:up|down|build|ps|logs|exec|run|pull|push|restart|stop|start|rm|config|images|top|kill|create|ls|version|port|wait|events|pause|unpause)$/.test(
        word,
      ),
  );
  const name = words[at];
  if (name === undefined) return found.doubt('its subcommand is not known');
  // It fills in what that file holds, and shows the result.
  if (name === 'config') found.file('.env', 'in');
  const before = { names: '', options: COMPOSE, operands: 'never*', exact: true as const };
  found.readBy(before, words.slice(0, at));
  const starts = name === 'exec' || name === 'run';
  found.readBy(
    { ...before, operands: starts ? 'text argv' : 'text*', ...(starts && { optionsFirst: true as const }) },
    words.slice(at + 1),
  );
}

const KUBECTL =
  'n,namespace=text context=text cluster=text A,all-namespaces o,output=text l,selector=text f,filename=in R,recursive w,watch show-labels sort-by=text field-selector=text no-headers c,container=text follow tail=text since=text p,previous timestamps all-containers prefix dry-run=?text force grace-period=text wait timeout=text replicas=text k,kustomize=in type=text image=text port=text name=text record overwrite all ignore-not-found v=text request-timeout=text i,stdin t,tty local=?text !kubeconfig !as !token !exec';

function kubectl({ words }: SimpleCommand, found: Findings) {
  found.changes();
  const dashes = words.indexOf('--');
  const own = dashes === -1 ? words : words.slice(0, dashes);
  if (dashes !== -1) found.starts(words.slice(dashes + 1));
  const name = own.find((word) => typeof word !== 'string' || !word.startsWith('-'));
  const known =
    /^(?:get|describe|logs|apply|delete|create|exec|rollout|scale|set|label|annotate|expose|top|version|config|cluster-info|api-resources|api-versions|explain|port-forward|wait|auth|diff|patch|autoscale|cordon|uncordon|drain|taint|events)$/;
  if (typeof name !== 'string' || !known.test(name)) return found.doubt('its subcommand is not known');
  if (name === 'diff' || name === 'config') return found.doubt('its subcommand can start programs');
  if (name === 'exec' && dashes === -1) return found.doubt('where its command begins cannot be told');
  found.readBy({ names: '', options: KUBECTL, operands: 'any*', exact: true }, own);
}

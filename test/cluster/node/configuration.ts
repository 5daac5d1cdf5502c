// Configuration of the node's programs.
import { join } from "node:path";
import type { DebianPackages } from "../../programs/debianPackages.ts";
import { PAUSE_IMAGE } from "./images.ts";

/** Address of the node: Kubernetes refuses loopback addresses, hence a bridge. */
export const NODE_ADDRESS = "10.99.0.1";
/** Address of this machine, as the pods see it. */
export const HOST_ADDRESS = "10.85.0.1";
const POD_NETWORK = "10.85.0.0/16";
const SERVICE_NETWORK = "10.96.0.0/16";

export const NODE_NAME = "node1";
const CLUSTER_DOMAIN = "cluster.local";

export function etcdFlags(folder: string): string[] {
  return [
    ...["--data-dir", `${folder}/etcd`, "--listen-client-urls", "http://127.0.0.1:2379"],
    ...["--advertise-client-urls", "http://127.0.0.1:2379", "--listen-peer-urls", "http://127.0.0.1:2380"],
    "--unsafe-no-fsync", // all of it is temporary
  ];
}

export function apiServerFlags(folder: string): string[] {
  const pki = `${folder}/pki`;
  return [
    ...["--etcd-servers=http://127.0.0.1:2379", "--bind-address=0.0.0.0", "--secure-port=6443"],
    ...[`--advertise-address=${NODE_ADDRESS}`, `--service-cluster-ip-range=${SERVICE_NETWORK}`],
    ...[`--client-ca-file=${pki}/ca.crt`, `--tls-cert-file=${pki}/apiserver.crt`],
    ...[`--tls-private-key-file=${pki}/apiserver.key`, `--service-account-key-file=${pki}/sa.key`],
    ...[`--service-account-signing-key-file=${pki}/sa.key`],
    ...["--service-account-issuer=https://kubernetes.default.svc", "--authorization-mode=Node,RBAC"],
    ...["--allow-privileged=true", "--kubelet-preferred-address-types=InternalIP"],
    ...[`--kubelet-client-certificate=${pki}/admin.crt`, `--kubelet-client-key=${pki}/admin.key`],
  ];
}

/** Credentials of scheduler and controllers. */
export function controllerFlags(folder: string): string[] {
  return [
    ...[`--kubeconfig=${folder}/kubeconfig`, `--authentication-kubeconfig=${folder}/kubeconfig`],
    ...[
      `--authorization-kubeconfig=${folder}/kubeconfig`,
      "--leader-elect=false",
      "--bind-address=127.0.0.1",
    ],
  ];
}

export function controllerManagerFlags(folder: string): string[] {
  return [
    ...controllerFlags(folder),
    ...["--use-service-account-credentials=true", `--root-ca-file=${folder}/pki/ca.crt`],
    `--service-account-private-key-file=${folder}/pki/sa.key`,
  ];
}

export function proxyFlags(folder: string): string[] {
  return [`--config=${folder}/kube-proxy.yaml`, `--hostname-override=${NODE_NAME}`];
}

export function kubeletFlags(folder: string): string[] {
  return [
    ...[`--config=${folder}/kubelet.yaml`, `--kubeconfig=${folder}/kubeconfig`],
    ...[`--root-dir=${folder}/kubelet`, `--hostname-override=${NODE_NAME}`, `--node-ip=${NODE_ADDRESS}`],
  ];
}

export function containerdConfiguration(folder: string, debian: DebianPackages): string {
  return `version = 2
root = "${folder}/containerd/root"
state = "${folder}/containerd/state"
[grpc]
  address = "${folder}/containerd/c.sock"
[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${PAUSE_IMAGE}"
  restrict_oom_score_adj = true
  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "${debian.root}/usr/lib/cni"
    conf_dir = "${folder}/cni"
  [plugins."io.containerd.grpc.v1.cri".containerd]
    snapshotter = "overlayfs"
`;
}

export function podNetwork(folder: string): unknown {
  return {
    cniVersion: "0.4.0",
    name: "node",
    plugins: [
      {
        type: "bridge",
        bridge: "cni0",
        isGateway: true,
        hairpinMode: true,
        ipam: {
          type: "host-local",
          dataDir: join(folder, "addresses"),
          ranges: [[{ subnet: POD_NETWORK }]],
          routes: [{ dst: "0.0.0.0/0" }],
        },
      },
      { type: "loopback" },
    ],
  };
}

export function kubeletConfiguration(folder: string, cgroup: string): string {
  return `apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
address: ${NODE_ADDRESS}
authentication:
  anonymous: { enabled: false }
  webhook: { enabled: true }
  x509: { clientCAFile: ${folder}/pki/ca.crt }
authorization: { mode: Webhook }
cgroupDriver: cgroupfs
cgroupRoot: /${cgroup}
enforceNodeAllocatable: []
failSwapOn: false
failCgroupV1: false
containerRuntimeEndpoint: unix://${folder}/containerd/c.sock
evictionHard: { memory.available: 50Mi, nodefs.available: 1%, imagefs.available: 1% }
imageGCHighThresholdPercent: 100 # no registry has the images: one that is collected is gone
volumePluginDir: ${folder}/plugins
clusterDomain: ${CLUSTER_DOMAIN}
clusterDNS: ["${HOST_ADDRESS}"]
resolvConf: ""
`;
}

/** As kubeadm configures CoreDNS, without the name servers of the machine: it has none. */
export function nameServerConfiguration(folder: string): string {
  return `.:53 {
  bind ${HOST_ADDRESS}
  errors
  kubernetes ${CLUSTER_DOMAIN} in-addr.arpa ip6.arpa {
    kubeconfig ${folder}/kubeconfig
    pods insecure
    fallthrough in-addr.arpa ip6.arpa
    ttl 5
  }
  cache 30 {
    disable success ${CLUSTER_DOMAIN}
    disable denial ${CLUSTER_DOMAIN}
  }
}
`;
}

export function proxyConfiguration(folder: string): string {
  return `apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
clientConnection: { kubeconfig: ${folder}/kubeconfig }
clusterCIDR: ${POD_NETWORK}
mode: iptables
iptables: { minSyncPeriod: 0s }
# settings of the whole machine, which are not ours to change
conntrack: { maxPerCore: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
`;
}

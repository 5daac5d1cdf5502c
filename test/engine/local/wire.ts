// The protocol's modules, each from where @pulumi/pulumi itself loads it: it would refuse messages and credentials of a second
// copy of gRPC or protobuf at run time.
import { createRequire } from "node:module";
import type * as Grpc from "@grpc/grpc-js";
import type * as CallbackService from "@pulumi/pulumi/proto/callback_grpc_pb.js";
import type * as CallbackProto from "@pulumi/pulumi/proto/callback_pb.js";
import type * as EngineService from "@pulumi/pulumi/proto/engine_grpc_pb.js";
import type * as EngineProto from "@pulumi/pulumi/proto/engine_pb.js";
import type * as ProviderService from "@pulumi/pulumi/proto/provider_grpc_pb.js";
import type * as ProviderProto from "@pulumi/pulumi/proto/provider_pb.js";
import type * as ResourceService from "@pulumi/pulumi/proto/resource_grpc_pb.js";
import type * as ResourceProto from "@pulumi/pulumi/proto/resource_pb.js";
import type * as StatusProto from "@pulumi/pulumi/proto/status_pb.js";
import type * as EmptyProto from "google-protobuf/google/protobuf/empty_pb.js";
import type * as StructProto from "google-protobuf/google/protobuf/struct_pb.js";

const manifest = createRequire(import.meta.url).resolve("@pulumi/pulumi/package.json");
const require = createRequire(manifest);

export const grpc = require("@grpc/grpc-js") as typeof Grpc;
export const { Empty } = require("google-protobuf/google/protobuf/empty_pb.js") as typeof EmptyProto;
export const { Struct } = require("google-protobuf/google/protobuf/struct_pb.js") as typeof StructProto;
export const callbackProto = require("./proto/callback_pb.js") as typeof CallbackProto;
export const callbackService = require("./proto/callback_grpc_pb.js") as typeof CallbackService;
export const engineProto = require("./proto/engine_pb.js") as typeof EngineProto;
export const engineService = require("./proto/engine_grpc_pb.js") as typeof EngineService;
export const providerProto = require("./proto/provider_pb.js") as typeof ProviderProto;
export const providerService = require("./proto/provider_grpc_pb.js") as typeof ProviderService;
export const resourceProto = require("./proto/resource_pb.js") as typeof ResourceProto;
export const resourceService = require("./proto/resource_grpc_pb.js") as typeof ResourceService;
export const statusProto = require("./proto/status_pb.js") as typeof StatusProto;

/** The real engine's limit. */
export const messageLimits = {
  "grpc.max_receive_message_length": 400 << 20,
  "grpc.max_send_message_length": 400 << 20,
};

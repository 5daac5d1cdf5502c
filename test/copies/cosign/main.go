// Signs and verifies images by the libraries of cosign 2 and 3, also as an admission check of a cluster, and serves a registry that has
// the API for referrers.
// `npm test -- copies` uses it: the commands of cosign themselves contain clients of every cloud, and take minutes to build.
package main

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	cosign2 "github.com/sigstore/cosign/v2/pkg/cosign"
	cosign3 "github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	switch {
	case len(args) == 1 && args[0] == "serve":
		return serve()
	case len(args) == 4 && args[0] == "sign":
		return signImage(ctx, args[1], args[2], args[3])
	case len(args) == 5 && args[0] == "admit":
		return admit(ctx, args[1], args[2], args[3], args[4])
	case len(args) == 3:
		return verify(ctx, args[0], args[1], args[2])
	case len(args) == 4:
		return verifyAttestation(ctx, args[0], args[1], args[2], args[3])
	}
	return fmt.Errorf("usage: serve | cosign2|cosign3|flux KEY IMAGE | cosign2|cosign3 KEY IMAGE PREDICATE_TYPE" +
		" | sign cosign2|cosign3 PRIVATE_KEY IMAGE | admit CERTIFICATE CERTIFICATE_KEY KEY NAME")
}

// serve runs a registry in memory until it is killed.
func serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on %s\n", listener.Addr())
	handler := registry.New(registry.WithReferrersSupport(true), registry.Logger(log.New(io.Discard, "", 0)))
	return http.Serve(listener, handler)
}

func verify(ctx context.Context, by, key, image string) error {
	ref, verifier, err := parse(image, key)
	if err != nil {
		return err
	}
	switch by {
	case "cosign2":
		options := &cosign2.CheckOpts{SigVerifier: verifier, ClaimVerifier: cosign2.SimpleClaimVerifier, Offline: true, IgnoreTlog: true}
		_, _, err = cosign2.VerifyImageSignatures(ctx, ref, options)
		return err
	case "cosign3":
		return verify3(ctx, ref, cosign3.CheckOpts{
			SigVerifier: verifier, ClaimVerifier: cosign3.SimpleClaimVerifier, Offline: true, IgnoreTlog: true,
		})
	case "flux":
		return verify3(ctx, ref, cosign3.CheckOpts{SigVerifier: verifier, Offline: true, IgnoreTlog: true})
	}
	return fmt.Errorf("unknown verifier %s", by)
}

// verify3 looks for a bundle first, as the command of cosign 3 and Flux do.
func verify3(ctx context.Context, ref name.Reference, options cosign3.CheckOpts) error {
	bundles, _, err := cosign3.GetBundles(ctx, ref, nil)
	if err == nil && len(bundles) > 0 {
		options.NewBundleFormat = true
		options.ClaimVerifier = cosign3.IntotoSubjectClaimVerifier
		_, _, err = cosign3.VerifyImageAttestations(ctx, ref, &options)
		return err
	}
	_, _, err = cosign3.VerifyImageSignatures(ctx, ref, &options)
	return err
}

func verifyAttestation(ctx context.Context, by, key, image, predicateType string) error {
	ref, verifier, err := parse(image, key)
	if err != nil {
		return err
	}
	var payloads [][]byte
	add := func(attestation interface{ Payload() ([]byte, error) }) {
		if payload, err := attestation.Payload(); err == nil {
			payloads = append(payloads, payload)
		}
	}
	switch by {
	case "cosign2":
		options := &cosign2.CheckOpts{SigVerifier: verifier, ClaimVerifier: cosign2.IntotoSubjectClaimVerifier, Offline: true, IgnoreTlog: true}
		found, _, err := cosign2.VerifyImageAttestations(ctx, ref, options)
		if err != nil {
			return err
		}
		for _, each := range found {
			add(each)
		}
	case "cosign3":
		options := &cosign3.CheckOpts{SigVerifier: verifier, ClaimVerifier: cosign3.IntotoSubjectClaimVerifier, Offline: true, IgnoreTlog: true}
		found, _, err := cosign3.VerifyImageAttestations(ctx, ref, options)
		if err != nil {
			return err
		}
		for _, each := range found {
			add(each)
		}
	default:
		return fmt.Errorf("unknown verifier %s", by)
	}
	return printStatement(payloads, predicateType)
}

// printStatement writes the verified statement of a type.
func printStatement(payloads [][]byte, predicateType string) error {
	for _, payload := range payloads {
		var envelope struct{ Payload string }
		var statement struct{ PredicateType string }
		if err := json.Unmarshal(payload, &envelope); err != nil {
			return err
		}
		bytes, err := base64.StdEncoding.DecodeString(envelope.Payload)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(bytes, &statement); err != nil {
			return err
		}
		if statement.PredicateType == predicateType {
			fmt.Println(string(bytes))
			return nil
		}
	}
	return fmt.Errorf("none of %d verified attestations has the type %s", len(payloads), predicateType)
}

func parse(image, key string) (name.Reference, signature.Verifier, error) {
	ref, err := name.ParseReference(image)
	if err != nil {
		return nil, nil, err
	}
	pem, err := os.ReadFile(key)
	if err != nil {
		return nil, nil, err
	}
	public, err := cryptoutils.UnmarshalPEMToPublicKey(pem)
	if err != nil {
		return nil, nil, err
	}
	verifier, err := signature.LoadVerifier(public, hashOf(public))
	return ref, verifier, err
}

// hashOf is the value of --signature-digest-algorithm for a key: SHA-256 is the default, but cosign signs with more by larger keys.
func hashOf(public crypto.PublicKey) crypto.Hash {
	if key, ok := public.(*ecdsa.PublicKey); ok && key.Curve.Params().BitSize > 384 {
		return crypto.SHA512
	} else if ok && key.Curve.Params().BitSize > 256 {
		return crypto.SHA384
	}
	return crypto.SHA256
}

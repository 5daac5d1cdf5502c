package main

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
	cosign2 "github.com/sigstore/cosign/v2/pkg/cosign"
	"github.com/sigstore/cosign/v2/pkg/oci/mutate"
	remote2 "github.com/sigstore/cosign/v2/pkg/oci/remote"
	"github.com/sigstore/cosign/v2/pkg/oci/static"
	cosign3 "github.com/sigstore/cosign/v3/pkg/cosign"
	"github.com/sigstore/cosign/v3/pkg/cosign/bundle"
	remote3 "github.com/sigstore/cosign/v3/pkg/oci/remote"
	"github.com/sigstore/cosign/v3/pkg/types"
	"github.com/sigstore/protobuf-specs/gen/pb-go/common/v1"
	"github.com/sigstore/sigstore-go/pkg/root"
	"github.com/sigstore/sigstore-go/pkg/sign"
	"github.com/sigstore/sigstore/pkg/cryptoutils"
	"github.com/sigstore/sigstore/pkg/signature"
	"github.com/sigstore/sigstore/pkg/signature/options"
	"github.com/sigstore/sigstore/pkg/signature/payload"
)

// signImage signs an image without a transparency log: with cosign 2 under a tag, or with cosign 3 as a bundle that refers to the image.
func signImage(ctx context.Context, by, key, image string) error {
	digest, err := name.NewDigest(image)
	if err != nil {
		return err
	}
	pem, err := os.ReadFile(key)
	if err != nil {
		return err
	}
	private, err := cryptoutils.UnmarshalPEMToPrivateKey(pem, cryptoutils.SkipPassword)
	if err != nil {
		return err
	}
	switch by {
	case "cosign2":
		return signTag(ctx, digest, private)
	case "cosign3":
		return signBundle(ctx, digest, private)
	}
	return fmt.Errorf("unknown signer %s", by)
}

func signTag(ctx context.Context, digest name.Digest, private crypto.PrivateKey) error {
	signer, err := signature.LoadDefaultSignerVerifier(private, *cosign2.GetDefaultLoadOptions(nil)...)
	if err != nil {
		return err
	}
	signed, err := payload.Cosign{Image: digest}.MarshalJSON()
	if err != nil {
		return err
	}
	raw, err := signer.SignMessage(bytes.NewReader(signed), options.WithContext(ctx))
	if err != nil {
		return err
	}
	made, err := static.NewSignature(signed, base64.StdEncoding.EncodeToString(raw))
	if err != nil {
		return err
	}
	entity, err := remote2.SignedEntity(digest)
	if err != nil {
		return err
	}
	entity, err = mutate.AttachSignatureToEntity(entity, made)
	if err != nil {
		return err
	}
	return remote2.WriteSignatures(digest.Repository, entity)
}

func signBundle(ctx context.Context, digest name.Digest, private crypto.PrivateKey) error {
	keypair, err := keypairOf(private)
	if err != nil {
		return err
	}
	statement := fmt.Sprintf(
		`{"_type":"https://in-toto.io/Statement/v1","subject":[{"digest":{"sha256":"%s"}}],"predicateType":"%s","predicate":{}}`,
		strings.TrimPrefix(digest.DigestStr(), "sha256:"), types.CosignSignPredicateType)
	config, err := root.NewSigningConfig(root.SigningConfigMediaType02, nil, nil, nil, root.ServiceConfiguration{}, nil, root.ServiceConfiguration{})
	if err != nil {
		return err
	}
	content := &sign.DSSEData{Data: []byte(statement), PayloadType: "application/vnd.in-toto+json"}
	made, err := bundle.SignData(ctx, content, keypair, "", nil, nil, config, nil, bundle.SignOptions{})
	if err != nil {
		return err
	}
	return remote3.WriteAttestationNewBundleFormat(digest, made, types.CosignSignPredicateType)
}

// keypair is the one that cosign makes of a key: it is internal there.
type keypair struct {
	signature.SignerVerifier
	algorithm signature.AlgorithmDetails
	public    crypto.PublicKey
	der       []byte
}

func keypairOf(private crypto.PrivateKey) (*keypair, error) {
	loading := *cosign3.GetDefaultLoadOptions(nil)
	signer, err := signature.LoadDefaultSignerVerifier(private, loading...)
	if err != nil {
		return nil, err
	}
	public, err := signer.PublicKey()
	if err != nil {
		return nil, err
	}
	algorithm, err := signature.GetDefaultAlgorithmDetails(public, loading...)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKIXPublicKey(public)
	return &keypair{signer, algorithm, public, der}, err
}

func (k *keypair) GetHashAlgorithm() v1.HashAlgorithm { return k.algorithm.GetProtoHashType() }
func (k *keypair) GetSigningAlgorithm() v1.PublicKeyDetails {
	return k.algorithm.GetSignatureAlgorithm()
}
func (k *keypair) GetPublicKey() crypto.PublicKey { return k.public }

func (k *keypair) GetHint() []byte {
	sum := sha256.Sum256(k.der)
	return []byte(base64.StdEncoding.EncodeToString(sum[:]))
}

func (k *keypair) GetKeyAlgorithm() string {
	switch k.public.(type) {
	case *ecdsa.PublicKey:
		return "ECDSA"
	case *rsa.PublicKey:
		return "RSA"
	case ed25519.PublicKey:
		return "ED25519"
	}
	return ""
}

func (k *keypair) GetPublicKeyPem() (string, error) {
	pem, err := cryptoutils.MarshalPublicKeyToPEM(k.public)
	return string(pem), err
}

func (k *keypair) SignData(ctx context.Context, data []byte) ([]byte, []byte, error) {
	signing := []signature.SignOption{options.WithContext(ctx)}
	var digest []byte
	if kind := k.algorithm.GetHashType(); kind != 0 {
		hash := kind.New()
		hash.Write(data)
		digest = hash.Sum(nil)
		signing = append(signing, options.WithDigest(digest))
	}
	made, err := k.SignMessage(bytes.NewReader(data), signing...)
	return made, digest, err
}

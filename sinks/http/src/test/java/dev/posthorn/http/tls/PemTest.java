package dev.posthorn.http.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.posthorn.error.PosthornException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PemTest {

    @Test
    void readsSeveralBlocksAndIgnoresWhatStandsAroundThem() {
        String text = """
                Bag Attributes
                    friendlyName: mine
                -----BEGIN A-----
                AQID
                BA==
                -----END A-----
                subject=CN = x
                  -----BEGIN B C-----
                  BQ==
                  -----END B C-----
                that's all
                """;

        assertBlocks(Pem.read("setting", text));
        assertBlocks(Pem.read("setting", text.replace("\n", "\r\n")));
    }

    private static void assertBlocks(List<Pem> blocks) {
        assertThat(blocks).extracting(Pem::type).containsExactly("A", "B C");
        assertThat(blocks.get(0).content()).containsExactly(1, 2, 3, 4);
        assertThat(blocks.get(1).content()).containsExactly(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "AQID", "-----BEGIN -----", "-----BEGIN A----\nAQID\n-----END A-----"})
    void refusesATextWithoutABlock(String text) {
        assertThatThrownBy(() -> Pem.read("TLS trustOnly", text))
                .isInstanceOf(PosthornException.class)
                .hasMessageStartingWith("HTTP sink: TLS trustOnly: no PEM in it");
    }

    @Test
    void refusesABlockThatIsDamagedWithoutShowingIt() {
        assertThatThrownBy(() -> Pem.read("x", "-----BEGIN A-----\nAQID\n-----END B-----"))
                .hasMessageContaining("'A' has no end");
        assertThatThrownBy(() -> Pem.read("x", "-----BEGIN A-----\nAQID")).hasMessageContaining("'A' has no end");
        assertThatThrownBy(() -> Pem.read("x", "-----BEGIN A-----\ns3cret!\n-----END A-----"))
                .hasMessageContaining("'A' is damaged")
                .hasMessageNotContaining("s3cret")
                .hasNoCause();
    }

    @ParameterizedTest
    @CsvSource({
        "rsa-pkcs8, RSA, rsa-public",
        "rsa-pkcs1, RSA, rsa-public",
        "ec-pkcs8, EC, ec-public",
        "ec-sec1, EC, ec-public",
        "ec-sec1-with-parameters, EC, ec-public"
    })
    void readsPrivateKeysInAllForms(String name, String algorithm, String publicKey) throws Exception {
        PrivateKey key = PrivateKeys.read("key", Keys.pem(name));

        assertThat(key.getAlgorithm()).isEqualTo(algorithm);
        assertThat(signedWith(key, Keys.publicKey(algorithm, publicKey))).isTrue();
        assertThat(PrivateKeys.read("key", Keys.pem(name).replace("\n", "\r\n")))
                .isEqualTo(key);
    }

    @Test
    void readsAnEcKeyOfAnotherCurve() {
        assertThat(PrivateKeys.read("key", Keys.pem("ec-p384")).getAlgorithm()).isEqualTo("EC");
    }

    private static boolean signedWith(PrivateKey key, PublicKey publicKey) throws GeneralSecurityException {
        java.security.Signature signature = java.security.Signature.getInstance(
                "SHA256with" + (key.getAlgorithm().equals("EC") ? "ECDSA" : "RSA"));
        signature.initSign(key);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        return signature.verify(signed);
    }

    @ParameterizedTest
    @ValueSource(strings = {"rsa-pkcs1-encrypted", "rsa-pkcs8-encrypted"})
    void refusesEncryptedKeysAndSaysHowToDecryptThem(String name) {
        assertThatThrownBy(() -> PrivateKeys.read("TLS clientCertificate private key", Keys.pem(name)))
                .isInstanceOf(PosthornException.class)
                .hasMessageContaining("TLS clientCertificate private key: the private key is encrypted")
                .hasMessageContaining("openssl pkcs8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PRIVATE KEY", "RSA PRIVATE KEY", "EC PRIVATE KEY", "DSA PRIVATE KEY"})
    void refusesGarbageInsteadOfAKeyWithoutShowingIt(String type) {
        for (String garbage : List.of("", "MA==", "MIQ=", "MIL/////", "MAMCAQE=", "MIEB", "c2VjcmV0c2VjcmV0")) {
            String pem = "-----BEGIN " + type + "-----\n" + garbage + "\n-----END " + type + "-----";
            assertThatThrownBy(() -> PrivateKeys.read("key", pem))
                    .isInstanceOf(PosthornException.class)
                    .hasMessageContaining("'" + type + "' is not a readable RSA or EC key")
                    .hasNoCause();
        }
    }

    @Test
    void refusesAnotherKindOfKeyNoneAndTwo() {
        assertThatThrownBy(() -> PrivateKeys.read("key", Keys.pem("ed25519"))).hasMessageContaining("RSA or EC");
        assertThatThrownBy(() -> PrivateKeys.read("key", Keys.pem("rsa-public")))
                .hasMessageContaining("no private key");
        assertThatThrownBy(() -> PrivateKeys.read("key", Keys.pem("ec-sec1") + Keys.pem("rsa-pkcs1")))
                .hasMessageContaining("more than one private key");
    }

    @Test
    void aBlockDoesNotShowItsContent() {
        assertThat(Pem.read("x", "-----BEGIN A-----\nAQID\n-----END A-----").get(0))
                .hasToString("A, 3 bytes");
    }
}

package dev.posthorn.http.receiver;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * Certificates of a test's own, made by the JDK's keytool: an authority, and by it a server at 127.0.0.1 and localhost
 * and two clients; and a stranger whom nobody trusts, an authority of its own. Takes about three seconds.
 */
public final class Certificates {

    private static final char[] PASSWORD = "changeit".toCharArray();
    private static final String CA = "ca";
    private static final String SERVER = "server";
    private static final String STRANGER = "stranger";

    /** Who can show a certificate to a server. */
    public enum Client {
        RSA("client-rsa"),
        EC("client-ec"),
        /** Signed by nobody but itself. */
        STRANGER(Certificates.STRANGER);

        private final String alias;

        Client(String alias) {
            this.alias = alias;
        }
    }

    private final KeyStore store;

    private Certificates(KeyStore store) {
        this.store = store;
    }

    /** Made anew in this directory. */
    public static Certificates in(Path directory) {
        Path file = directory.resolve("certificates.p12");
        make(file, CA, "-keyalg EC -groupname secp256r1 -ext bc:c=ca:true");
        make(file, SERVER, "-keyalg EC -groupname secp256r1 -signer ca -ext san=ip:127.0.0.1,dns:localhost");
        make(file, Client.RSA.alias, "-keyalg RSA -keysize 2048 -signer ca");
        make(file, Client.EC.alias, "-keyalg EC -groupname secp256r1 -signer ca");
        make(file, STRANGER, "-keyalg EC -groupname secp256r1 -ext bc:c=ca:true -ext san=ip:127.0.0.1,dns:localhost");
        try (InputStream in = Files.newInputStream(file)) {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(in, PASSWORD);
            return new Certificates(store);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void make(Path file, String alias, String options) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "keytool").toString());
        command.addAll(List.of("-J-XX:TieredStopAtLevel=1", "-J-Xshare:auto", "-genkeypair", "-storetype", "PKCS12"));
        command.addAll(List.of("-keystore", file.toString(), "-storepass", String.valueOf(PASSWORD)));
        command.addAll(List.of("-alias", alias, "-dname", "CN=" + alias + ",O=Posthorn tests", "-validity", "30"));
        // Now is the start of no validity for a server whose clock is a little behind.
        command.addAll(List.of("-startdate", "-1d"));
        command.addAll(List.of(options.split(" ", -1)));
        run(command);
    }

    private static void run(List<String> command) {
        try {
            Process process =
                    new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String output = new String(process.getInputStream().readAllBytes(), UTF_8);
            if (!process.waitFor(2, TimeUnit.MINUTES) || process.exitValue() != 0) {
                throw new IllegalStateException(command + " failed: " + output);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The authority that signed the server and the clients. */
    public String caPem() {
        return chainPem(CA);
    }

    public String strangerPem() {
        return chainPem(STRANGER);
    }

    /** The client's certificate and the authority's. */
    public String certificatePem(Client client) {
        return chainPem(client.alias);
    }

    /** PKCS#8. */
    public String keyPem(Client client) {
        try {
            return pem("PRIVATE KEY", store.getKey(client.alias, PASSWORD).getEncoded());
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * For a server that shows its certificate and trusts clients of the authority. Whether it wants or needs to see
     * theirs is for its socket or its {@link javax.net.ssl.SSLParameters} to say.
     */
    public SSLContext server() {
        return serverShowing(SERVER);
    }

    /** The same, with a certificate of the right name by an authority that nobody trusts. */
    public SSLContext strangeServer() {
        return serverShowing(STRANGER);
    }

    private SSLContext serverShowing(String alias) {
        try {
            KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
            keys.init(only(alias, true), PASSWORD);
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(only(CA, false));
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException | IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private KeyStore only(String alias, boolean withKey) throws GeneralSecurityException, IOException {
        KeyStore one = KeyStore.getInstance("PKCS12");
        one.load(null, null);
        if (withKey) {
            one.setKeyEntry(alias, store.getKey(alias, PASSWORD), PASSWORD, store.getCertificateChain(alias));
        } else {
            one.setCertificateEntry(alias, store.getCertificate(alias));
        }
        return one;
    }

    private String chainPem(String alias) {
        StringBuilder pem = new StringBuilder();
        try {
            for (Certificate each : store.getCertificateChain(alias)) {
                pem.append(pem("CERTIFICATE", each.getEncoded()));
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
        return pem.toString();
    }

    private static String pem(String type, byte[] content) {
        String base64 = Base64.getMimeEncoder(64, "\n".getBytes(US_ASCII)).encodeToString(content);
        return "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n";
    }
}

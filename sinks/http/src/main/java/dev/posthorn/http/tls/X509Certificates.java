package dev.posthorn.http.tls;

import dev.posthorn.http.text.Setting;
import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

/** Reads certificates from PEM. */
public final class X509Certificates {

    private X509Certificates() {}

    /** At least one, in the order of the text. */
    public static List<X509Certificate> read(String setting, String pem) {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Pem block : Pem.read(setting, pem)) {
            if (block.type().equals("CERTIFICATE")) {
                certificates.add(certificate(setting, certificates.size() + 1, block.content()));
            }
        }
        Setting.require(
                !certificates.isEmpty(),
                setting + ": no certificate in it; give '-----BEGIN CERTIFICATE-----' and so on");
        return certificates;
    }

    private static X509Certificate certificate(String setting, int number, byte[] der) {
        try {
            return (X509Certificate)
                    CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(der));
        } catch (CertificateException e) {
            throw Setting.refused(setting + ": certificate " + number + " is damaged; look whether it is whole");
        }
    }
}

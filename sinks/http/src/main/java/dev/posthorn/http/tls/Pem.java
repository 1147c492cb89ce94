package dev.posthorn.http.tls;

import dev.posthorn.http.text.Setting;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Iterator;
import java.util.List;

/**
 * One block of a PEM text. Nobody compares two.
 *
 * @param type what stands after BEGIN
 * @param isEncrypted whether its header says so, as OpenSSL's own form of encrypted keys does
 */
@SuppressWarnings("ArrayRecordComponent")
record Pem(String type, byte[] content, boolean isEncrypted) {

    private static final String BEGIN = "-----BEGIN ";
    private static final String END = "-----END ";
    private static final String DASHES = "-----";

    /** All blocks; what stands around them is ignored. Errors name the setting and show nothing of its value. */
    static List<Pem> read(String setting, String text) {
        List<Pem> blocks = new ArrayList<>();
        Iterator<String> lines = text.lines().map(String::strip).iterator();
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.startsWith(BEGIN) && line.endsWith(DASHES) && line.length() > BEGIN.length() + DASHES.length()) {
                blocks.add(block(setting, typeIn(line), lines));
            }
        }
        Setting.require(
                !blocks.isEmpty(), setting + ": no PEM in it; give the text with its lines '-----BEGIN ...-----'");
        return blocks;
    }

    private static String typeIn(String line) {
        return line.substring(BEGIN.length(), line.length() - DASHES.length());
    }

    private static Pem block(String setting, String type, Iterator<String> lines) {
        StringBuilder base64 = new StringBuilder();
        boolean isEncrypted = false;
        while (lines.hasNext()) {
            String line = lines.next();
            if (line.equals(END + type + DASHES)) {
                return new Pem(type, decoded(setting, type, isEncrypted ? "" : base64.toString()), isEncrypted);
            }
            isEncrypted |= line.startsWith("Proc-Type:") && line.endsWith("ENCRYPTED");
            base64.append(line);
        }
        throw Setting.refused(
                setting + ": the block '" + type + "' has no end; give all lines to '" + END + type + DASHES + "'");
    }

    private static byte[] decoded(String setting, String type, String base64) {
        try {
            return Base64.getDecoder().decode(base64);
        } catch (IllegalArgumentException e) {
            throw Setting.refused(setting + ": the block '" + type + "' is damaged, its lines are not base64");
        }
    }

    @Override
    public String toString() {
        return type + ", " + content.length + " bytes";
    }
}

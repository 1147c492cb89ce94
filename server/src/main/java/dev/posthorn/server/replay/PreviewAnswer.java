package dev.posthorn.server.replay;

import dev.posthorn.replay.Preview;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a replay would do now.
 *
 * @param count how many it would send, exactly
 * @param skipped how many it would not send, by reason
 * @param needsReason whether there are so many that a reason must be given
 */
record PreviewAnswer(
        boolean dryRun,
        long count,
        Map<String, Long> skipped,
        Map<String, Long> subscribers,
        Map<String, Long> types,
        AgesAnswer ages,
        boolean needsReason,
        List<WarningAnswer> warnings) {

    /** How long ago the events were recorded; each begins where the one before ends. */
    record AgesAnswer(long lastHour, long lastDay, long lastWeek, long older) {}

    /** Something that one may want to know before. */
    record WarningAnswer(String code, String text) {}

    static PreviewAnswer of(Preview preview) {
        return new PreviewAnswer(
                true,
                preview.count(),
                preview.skipped(),
                preview.subscriptions(),
                preview.types(),
                new AgesAnswer(
                        of(preview, Preview.Age.LAST_HOUR),
                        of(preview, Preview.Age.LAST_DAY),
                        of(preview, Preview.Age.LAST_WEEK),
                        of(preview, Preview.Age.OLDER)),
                preview.needsReason(),
                preview.warnings().stream().map(PreviewAnswer::warning).toList());
    }

    private static long of(Preview preview, Preview.Age age) {
        return preview.ages().getOrDefault(age, 0L);
    }

    private static WarningAnswer warning(Preview.Warning warning) {
        return new WarningAnswer(
                warning.concern().name().toLowerCase(Locale.ROOT).replace('_', '-'), warning.text());
    }
}

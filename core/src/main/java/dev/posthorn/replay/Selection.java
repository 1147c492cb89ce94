package dev.posthorn.replay;

import dev.posthorn.deadletter.DeadLetterQuery;
import dev.posthorn.error.Requests;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What is to be sent again. */
sealed interface Selection {

    /** For people to read: the names of the fields and what they were given. */
    Map<String, String> describe();

    /** One dead letter. */
    record DeadLetterState(long id) implements Selection {
        @Override
        public Map<String, String> describe() {
            return Map.of("of", "dead letter", "id", String.valueOf(id));
        }
    }

    /** The dead letter of one event, for the subscription if one is named. */
    record Message(UUID eventId, @Nullable String subscription) implements Selection {

        public Message {
            Requests.optional("subscription", subscription, Requests.MAX_NAME);
        }

        @Override
        public Map<String, String> describe() {
            Map<String, String> all = new TreeMap<>(Map.of("of", "event", "eventId", eventId.toString()));
            Described.add(all, "subscription", subscription);
            return all;
        }
    }

    /** So many dead letters by their ids. */
    record Letters(int count, DeadLetterQuery query) implements Selection {
        @Override
        public Map<String, String> describe() {
            return Described.letters(query);
        }
    }

    /** All dead letters that a query finds, whatever its page size. */
    record Matching(DeadLetterQuery query) implements Selection {
        @Override
        public Map<String, String> describe() {
            return Described.letters(query);
        }
    }

    /** Events of the log for one subscription, recorded at or after one time and before the other. */
    record History(
            String subscription,
            Instant from,
            Instant to,
            List<String> types,
            @Nullable String aggregateType,
            @Nullable String key,
            @Nullable UUID eventId)
            implements Selection {

        public History {
            Requests.text("subscription", subscription, Requests.MAX_NAME);
            Requests.time("from", from);
            Requests.time("to", to);
            Requests.require(from.isBefore(to), "from is " + from + " and to is " + to + "; from must be before to");
            types = List.copyOf(types);
            types.forEach(type -> Requests.text("types", type, Requests.MAX_NAME));
            Requests.optional("aggregateType", aggregateType, Requests.MAX_NAME);
            Requests.optional("key", key, Requests.MAX_KEY);
        }

        @Override
        public Map<String, String> describe() {
            Map<String, String> all = new TreeMap<>(Map.of("of", "history", "subscription", subscription));
            all.put("from", from.toString());
            all.put("to", to.toString());
            Described.add(all, "types", types.isEmpty() ? null : String.join(", ", types));
            Described.add(all, "aggregateType", aggregateType);
            Described.add(all, "key", key);
            Described.add(all, "eventId", eventId == null ? null : eventId.toString());
            return all;
        }
    }

    /** How selections are written down. */
    final class Described {

        private Described() {}

        private static Map<String, String> letters(DeadLetterQuery query) {
            Map<String, String> all = new TreeMap<>(query.describe());
            all.remove("state");
            all.put("of", "dead letters");
            return all;
        }

        private static void add(Map<String, String> all, String name, @Nullable String value) {
            if (value != null) {
                all.put(name, value);
            }
        }
    }
}

package dev.posthorn.embedded.kafka;

import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * The broker as a program of its own, for tests that freeze or kill it: {@code KafkaProcess <directory> <port> [name=value]...}.
 * It writes a line {@code ready <bootstrap servers>} when clients may come, and stops when it is terminated.
 */
public final class KafkaProcess {
    private KafkaProcess() {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: KafkaProcess <directory> <port> [name=value]...");
            System.exit(2);
        }
        var builder = EmbeddedKafka.builder().logDirectory(Path.of(args[0])).port(Integer.parseInt(args[1]));
        for (int i = 2; i < args.length; i++) {
            String[] setting = args[i].split("=", 2);
            builder.setting(setting[0], setting[1]);
        }
        System.out.println("ready " + builder.start().bootstrapServers());
        new CountDownLatch(1).await();
    }
}

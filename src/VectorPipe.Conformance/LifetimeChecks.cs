using System.Runtime.ExceptionServices;
using VectorPipe.Devices;

namespace VectorPipe.Conformance;

/// <summary>Threads and disposal.</summary>
internal static class LifetimeChecks
{
    private const int Block = QueueUnderCheck.Block;

    public static void Disposal_with_reads_in_flight_gets_them_back(CheckedDevice subject)
    {
        for (int round = 0; round < 20; round++)
        {
            using QueueUnderCheck queue = subject.OpenQueue(64);
            for (int slot = 0; slot < queue.Queue.Capacity; slot++)
                queue.Enqueue(slot, slot * Block);
            if (round % 2 == 0)
                queue.Queue.Submit();
            queue.Queue.Dispose();
            Claim.That(!queue.Queue.BuffersMayBeWritten, "no buffer to be in use after disposal");
        }
    }

    public static void A_disposed_queue_refuses_every_use(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(1);
        queue.Queue.Dispose();
        queue.Queue.Dispose();
        Claim.Throws<ObjectDisposedException>(() => queue.Queue.TryEnqueue(queue.Prepare(0, 0)), "a read after disposal");
        Claim.Throws<ObjectDisposedException>(queue.Queue.Submit, "a submit after disposal");
        Claim.Throws<ObjectDisposedException>(() => queue.ReapOnce(waitFor: 1, most: 1), "a reap after disposal");
    }

    public static void A_device_is_not_disposed_under_its_queues(CheckedDevice subject)
    {
        using (QueueUnderCheck queue = subject.OpenQueue(1))
        {
            Claim.Throws<InvalidOperationException>(subject.Device.Dispose, "disposal of a device with an open queue");
            queue.Enqueue(0, 0);
            Claim.Equal(1, queue.ReapAll(), "a number of reads of");
        }

        subject.Device.Dispose();
        subject.Device.Dispose();
        Claim.Throws<ObjectDisposedException>(
            () => subject.Device.OpenQueue(new DeviceQueueOptions { Capacity = 1 }).Dispose(), "a queue of a disposed device");
    }

    public static void Another_thread_is_refused(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(1);
        queue.Enqueue(0, 0);
        OnAnotherThread(() =>
        {
            Claim.Throws<InvalidOperationException>(() => queue.Queue.TryEnqueue(queue.Reads[1]), "a read of another thread");
            Claim.Throws<InvalidOperationException>(() => queue.ReapOnce(waitFor: 1, most: 1), "a reap of another thread");
            Claim.Throws<InvalidOperationException>(queue.Queue.Dispose, "a disposal by another thread");
        });
        Claim.Equal(1, queue.ReapAll(), "a number of reads of");
    }

    public static void A_queue_may_be_opened_on_one_thread_and_used_on_another(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(4);
        OnAnotherThread(() =>
        {
            queue.Enqueue(0, 0);
            queue.ReapAll();
            queue.Queue.Dispose();
        });
        Claim.Equal(1, queue.Reads[0].HandedBack, "a read to be handed back");
    }

    public static void A_disowned_queue_may_be_disposed_by_another_thread(CheckedDevice subject)
    {
        using QueueUnderCheck queue = subject.OpenQueue(4);
        queue.Enqueue(0, 0);
        queue.ReapAll();
        OnAnotherThread(() =>
        {
            queue.Queue.Disown();
            queue.Queue.Dispose();
        });
        Claim.That(!queue.Queue.BuffersMayBeWritten, "no buffer to be in use after disposal");
    }

    public static void Many_queues_work_side_by_side(CheckedDevice subject)
    {
        Exception?[] errors = new Exception?[4];
        Thread[] threads =
            [.. Enumerable.Range(0, errors.Length).Select(index => new Thread(() => errors[index] = Caught(() => Read(index))))];
        foreach (Thread thread in threads)
            thread.Start();
        foreach (Thread thread in threads)
            thread.Join();
        if (errors.FirstOrDefault(error => error is not null) is { } first)
            ExceptionDispatchInfo.Throw(first);

        void Read(int index)
        {
            using QueueUnderCheck queue = subject.OpenQueue(8);
            for (int round = 0; round < 50; round++)
            {
                for (int slot = 0; slot < queue.Queue.Capacity; slot++)
                    queue.Enqueue(slot, ((index * 50) + round) % 250 * Block);
                Claim.Equal(queue.Queue.Capacity, queue.ReapAll(), "a number of reads of", nameof(Many_queues_work_side_by_side));
                queue.ClaimBytes(queue.Reads[round % queue.Queue.Capacity], CheckedDevice.ByteAt);
            }
        }
    }

    private static void OnAnotherThread(Action action)
    {
        Exception? error = null;
        Thread other = new(() => error = Caught(action));
        other.Start();
        other.Join();
        if (error is not null)
            ExceptionDispatchInfo.Throw(error);
    }

    // Whatever a thread throws is thrown again by the thread that waits for it: it would end the process.
    private static Exception? Caught(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }
}

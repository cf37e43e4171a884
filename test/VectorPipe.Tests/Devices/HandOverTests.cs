using NUnit.Framework;
using VectorPipe.Devices;
using VectorPipe.Devices.Memory;

namespace VectorPipe.Tests.Devices;

/// <summary>The structures that carry reads between threads.</summary>
public sealed class HandOverTests
{
    [Test]
    public void Many_producers_lose_and_double_nothing()
    {
        const int producers = 4;
        const int perProducer = 5_000;
        const int window = 16;
        using CompletionRing ring = new(producers * window);
        int[] seen = new int[producers];
        Thread[] threads = [.. Enumerable.Range(0, producers).Select(p => new Thread(() =>
        {
            for (int i = 0; i < perProducer; i++)
            {
                SpinWait pause = default;
                while (i - Volatile.Read(ref seen[p]) >= window)
                    pause.SpinOnce(sleep1Threshold: -1);
                ring.Push(new TestRead(p) { Result = i });
            }
        }))];
        foreach (Thread thread in threads)
            thread.Start();
        for (int total = 0; total < producers * perProducer;)
        {
            Assert.That(ring.Wait(1, HangBound.Patience), Is.True);
            while (ring.TryPop(out DeviceRead? read))
            {
                Assert.That(read.Result, Is.EqualTo(seen[read.Slot]), "Reads of one producer keep their order.");
                Volatile.Write(ref seen[read.Slot], read.Result + 1);
                total++;
            }
        }

        foreach (Thread thread in threads)
            thread.Join();
        Assert.That(seen, Is.All.EqualTo(perProducer));
    }

    [Test]
    public void A_burst_wakes_the_waiter_once()
    {
        using CompletionRing ring = new(1024);
        Thread producer = new(() =>
        {
            for (int i = 0; i < 1000; i++)
                ring.Push(new TestRead(i));
        });
        producer.Start();
        Assert.That(ring.Wait(1000, HangBound.Patience), Is.True);
        producer.Join();
        Assert.That(ring.Wakes, Is.LessThanOrEqualTo(1));
    }

    [Test]
    public void A_wait_that_timed_out_leaves_no_stale_wake()
    {
        using CompletionRing ring = new(4);
        Assert.That(ring.Wait(1, TimeSpan.FromMilliseconds(1)), Is.False);
        ring.Push(new TestRead(0));
        Assert.That(ring.TryPop(out _), Is.True);
        Assert.That(ring.Wait(1, TimeSpan.FromMilliseconds(1)), Is.False);
        Assert.That(ring.Wakes, Is.Zero);
    }

    [TestCase(10_000)]
    [TestCase(500_000, Category = "Heavy")]
    public void The_ring_between_two_threads_keeps_order_and_loses_nothing(int count)
    {
        const int capacity = 32;
        SpscRing ring = new(capacity);
        int taken = 0;
        Thread consumer = new(() =>
        {
            SpinWait pause = default;
            while (taken < count)
            {
                if (!ring.TryPeek(out _))
                {
                    pause.SpinOnce(sleep1Threshold: -1);
                    continue;
                }

                if (ring.Pop().Slot != taken)
                    break;
                Volatile.Write(ref taken, taken + 1);
            }
        });
        consumer.Start();
        SpinWait full = default;
        for (int i = 0; i < count && consumer.IsAlive; i++)
        {
            while (i - Volatile.Read(ref taken) >= capacity && consumer.IsAlive)
                full.SpinOnce(sleep1Threshold: -1);
            ring.Write(new TestRead(i), 0);
            if (i % 3 == 0 || i - Volatile.Read(ref taken) >= capacity - 1 || i == count - 1)
                ring.Publish();
        }

        consumer.Join();
        Assert.That(taken, Is.EqualTo(count));
        Assert.That(ring.IsEmpty, Is.True);
    }

    [Test]
    public void An_unpublished_entry_can_be_taken_back()
    {
        SpscRing ring = new(4);
        ring.Write(new TestRead(0), 0);
        ring.Publish();
        ring.Write(new TestRead(1), 0);
        Assert.That(ring.TryTakeBack(out DeviceRead? read), Is.True);
        Assert.That(read!.Slot, Is.EqualTo(1));
        Assert.That(ring.TryTakeBack(out _), Is.False);
        Assert.That(ring.TryPeek(out _), Is.True);
    }
}

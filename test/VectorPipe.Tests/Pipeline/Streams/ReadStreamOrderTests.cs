using NUnit.Framework;
using VectorPipe.Pipeline.Streams;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>Buffers come in the source's order, in as few reads as adjacency allows.</summary>
public sealed class ReadStreamOrderTests
{
    [Test]
    public void Buffers_come_in_the_order_of_the_source()
    {
        using var harness = new StreamHarness();
        long[] pages = [7, 3, 4, 5, 100, 2, 2, 9];
        harness.Source.Pages(pages);

        Assert.That(harness.TakeAll(), Is.EqualTo(pages));
    }

    [Test]
    public void Reads_that_land_out_of_order_are_handed_out_in_order()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 4 });
        harness.Withhold();
        harness.Source.Pages(0, 10, 20);
        Assert.That(harness.Stream.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        harness.Land(20);
        harness.Land(10);
        Assert.That(harness.Stream.TryGetNextNoWait(out _), Is.EqualTo(ReadStatus.NotReady));
        harness.Land(0);

        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 0, 10, 20 }));
    }

    [Test]
    public void The_state_of_a_range_comes_back_with_its_buffer()
    {
        using var harness = new StreamHarness();
        harness.Source.Pages(5, 6, 1);
        var states = new List<long>();
        while (harness.Stream.TryGetNext(out ReadBuffer buffer))
            states.Add(buffer.State);

        Assert.That(states, Is.EqualTo(new long[] { 0, 1, 2 }));
    }

    [Test]
    public void Adjacent_pages_are_read_together_up_to_the_limit()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 3, MaxReads = 2 });
        harness.Withhold();
        harness.Source.Pages(0, 1, 2, 3, 4, 9, 10);
        harness.Stream.TryGetNextNoWait(out _);
        harness.Land(0);
        harness.Stream.TryGetNextNoWait(out _);
        harness.Session.Submit();

        Assert.That(harness.Held.First(), Is.EqualTo((3L, 2)).Or.EqualTo((3L, 3)));
        harness.Queue.Script = static read => read.Length;
        harness.LandAll();
        Assert.That(harness.TakeAll(), Is.EqualTo(new long[] { 1, 2, 3, 4, 9, 10 }));
    }

    [Test]
    public void A_read_is_never_longer_than_a_buffer_of_the_session()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true, CombineLimit = 16 }, pagesPerBuffer: 2);
        harness.Source.Pages(Enumerable.Range(0, 9).Select(page => (long)page));

        Assert.That(harness.TakeAll(), Has.Count.EqualTo(9));
        Assert.That(harness.Stream.Reads, Is.EqualTo(5));
    }

    [Test]
    public void Ranges_of_any_length_are_read_together_when_they_touch()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { StartsFull = true });
        harness.Source.Range(new ReadRange(0, 512, 512)).Range(new ReadRange(0, 1024, 1024)).Range(new ReadRange(0, 4096, 512));
        var lengths = new List<int>();
        while (harness.Stream.TryGetNext(out ReadBuffer buffer))
            lengths.Add(buffer.Bytes.Length);

        Assert.That(lengths, Is.EqualTo(new[] { 512, 1024, 512 }));
        Assert.That(harness.Stream.Reads, Is.EqualTo(2));
    }

    [Test]
    public void The_end_stays_the_end()
    {
        using var harness = new StreamHarness();
        harness.Source.Pages(1);
        harness.TakeAll();

        for (int again = 0; again < 2; again++)
        {
            Assert.That(harness.Stream.TryGetNext(out _), Is.False);
            Assert.That(harness.Stream.Status, Is.EqualTo(ReadStatus.End));
        }

        Assert.That(harness.Source.Asked, Is.EqualTo(2));
    }

    [Test]
    public void Pages_in_memory_come_in_their_turn_without_a_read()
    {
        using var harness = new StreamHarness();
        byte[] resident = GC.AllocateArray<byte>(StreamHarness.PageBytes, pinned: true);
        nint address;
        unsafe
        {
            fixed (byte* first = resident)
                address = (nint)first;
        }

        harness.Source.Pages(1, 2).Range(new ReadRange(0, 3 * 512, 512, 77, address)).Pages(4);
        var order = new List<(long State, bool IsResident)>();
        while (harness.Stream.TryGetNext(out ReadBuffer buffer))
        {
            unsafe
            {
                order.Add((buffer.State, (nint)buffer.Pointer == address));
            }
        }

        Assert.That(order, Is.EqualTo(new[] { (0L, false), (1L, false), (77L, true), (2L, false) }));
    }

    [Test]
    public void Without_look_ahead_a_read_is_issued_when_its_range_is_taken()
    {
        using var harness = new StreamHarness(new ReadStreamOptions { MaxReads = 0 });
        harness.Source.Pages(1, 10, 20);
        harness.Take();
        harness.Take();

        Assert.That((harness.Stream.Reads, harness.Stream.ReadsAhead), Is.EqualTo((2, 0)));
    }

    [Test]
    public void A_range_longer_than_a_buffer_is_an_error_in_its_turn()
    {
        using var harness = new StreamHarness();
        harness.Source.Pages(1).Range(new ReadRange(0, 0, 5 * StreamHarness.PageBytes));
        Assert.That(harness.Take(), Is.EqualTo(1));

        Assert.That(() => harness.Stream.TryGetNext(out _), Throws.TypeOf<ArgumentOutOfRangeException>().With.Message.Contains("2048"));
    }
}

using Microsoft.Extensions.Logging.Abstractions;
using NUnit.Framework;
using VectorPipe.Model.Open;
using VectorPipe.Opening;
using VectorPipe.Pipeline;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Searching.Graph;
using VectorPipe.Searching.Index;
using VectorPipe.Searching.Requests;
using VectorPipe.Searching.Serving;
using VectorPipe.Storage.Keys;
using VectorPipe.Tests.Api;

namespace VectorPipe.Tests.Searching.Serving;

/// <summary>A look-up walks from a key along its chain to its node, read by read.</summary>
public sealed class KeyLookupTests
{
    private const int Chain = 6;

    [Test]
    public void One_op_walks_a_chain_of_a_thousand_pages_without_recursion()
    {
        const int pages = 1050;
        using TestIndex test = TestIndex.Build(count: pages, keyDirectory: new KeyDirectoryOptions { Buckets = 1, EntriesPerPage = 1 });
        Exception? error = null;
        long reads = 0;
        int found = 0;
        byte[] vectors = new byte[test.Rows.Length];
        var thread = new Thread(
            () =>
            {
                try
                {
                    using VectorIndex index = test.Open(DeviceKind.Memory);
                    using SearchSession session = index.OpenSession();
                    Assert.That(session.TryGet<byte>(ulong.MaxValue, new byte[test.Dimension]), Is.False);
                    reads = session.DeviceReads;
                    found = session.TryGetMany<byte>([.. Enumerable.Range(0, pages).Select(i => (ulong)i)], vectors, new bool[pages]);
                }
                catch (Exception e)
                {
                    error = e;
                }
            },
            maxStackSize: 256 * 1024);
        thread.Start();
        Assert.That(thread.Join(TimeSpan.FromMinutes(2)), Is.True, "The walk did not end.");
        using (Assert.EnterMultipleScope())
        {
            Assert.That(error, Is.Null);
            Assert.That(reads, Is.EqualTo(pages), "a missing key costs every page of its chain, once");
            Assert.That(found, Is.EqualTo(pages));
            Assert.That(vectors, Is.EqualTo(test.Rows));
        }
    }

    [Test]
    public void A_look_up_occupies_one_op_from_first_page_to_last()
    {
        using var lookup = new HookedLookup();
        var slots = new HashSet<int>();
        lookup.Device.Hold = (_, read) =>
        {
            slots.Add(read.Slot);
            return false;
        };
        Assert.That(lookup.TryGetLast(CancellationToken.None), Is.True);
        Assert.That((slots.Count, lookup.Device.ReadsSeen), Is.EqualTo((1, Chain + 1)));
    }

    [Test]
    public void A_look_up_that_is_cancelled_at_any_read_ends_and_the_session_goes_on([Range(0, Chain)] int at, [Values] bool held)
    {
        using var lookup = new HookedLookup();
        using var cancellation = new CancellationTokenSource();
        lookup.Device.Hold = (read, _) =>
        {
            if (read != at)
                return false;
            cancellation.Cancel();
            return held;
        };
        Assert.That(() => lookup.TryGetLast(cancellation.Token), Throws.InstanceOf<OperationCanceledException>());
        lookup.Device.Hold = static (_, _) => false;
        Assert.That(lookup.TryGetLast(CancellationToken.None), Is.True, "the session serves others while the read is in flight");
        lookup.Device.ReleaseHeld();
        Assert.That(lookup.TryGetLast(CancellationToken.None), Is.True, "a read that lands late is dropped");
    }

    [Test]
    public void A_look_up_cancelled_before_its_start_reads_nothing()
    {
        using var lookup = new HookedLookup();
        Assert.That(() => lookup.TryGetLast(new CancellationToken(canceled: true)), Throws.InstanceOf<OperationCanceledException>());
        Assert.That(lookup.Device.ReadsSeen, Is.Zero);
    }

    [Test]
    public void A_file_that_ends_early_is_an_error_that_names_file_and_page([Range(0, Chain)] int at)
    {
        using var lookup = new HookedLookup();
        lookup.Device.Hold = (read, op) =>
        {
            if (read == at)
                op.Offset = op.File == SearchIndex.KeysFile ? 1 << 20 : 1 << 24;
            return false;
        };
        string name = at == Chain ? "nodes-000001.vp, page " : "keys-000001.vp, page ";
        Assert.That(() => lookup.TryGetLast(CancellationToken.None), Throws.TypeOf<DeviceException>().With.Message.Contains(name));
        lookup.Device.Hold = static (_, _) => false;
        Assert.That(lookup.TryGetLast(CancellationToken.None), Is.True);
    }

    [Test]
    public void A_read_of_another_page_of_the_chain_is_refused([Range(0, Chain - 1)] int at)
    {
        using var lookup = new HookedLookup();
        lookup.Device.Hold = (read, op) =>
        {
            if (read == at)
                op.Offset = (((op.Offset / 4096) % Chain) + 1) * 4096;
            return false;
        };
        Assert.That(
            () => lookup.TryGetLast(CancellationToken.None), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("page number"));
    }

    [Test]
    public void A_look_up_waits_while_a_stream_holds_all_ops_and_gets_the_next_free_one()
    {
        const int pages = 100;
        using TestIndex test = TestIndex.Build(count: 300);
        using SearchIndex index = IndexLoader.Load(
            test.Directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } }, NullLogger.Instance,
            CancellationToken.None);
        using var session =
            new PendingIoSession(index.Device, new PendingIoOptions { Capacity = 4, BufferBytes = index.MostReadBytes, SubmitEvery = 1 });
        using var stream = new ReadStream(
            session, new PageSetSource(index.NodeSet, Enumerable.Repeat(1u, pages), "the test"),
            new ReadStreamOptions { MaxReads = 3, CombineLimit = 4, StartsFull = true });
        int taken = 0;
        for (int turn = 0; turn < 10; turn++)
            Step();
        Assert.That(session.Kept, Is.EqualTo(session.Capacity));
        var waiting = new WaitingRequests();
        var lookups = new KeyLookups(index, session, waiting);
        var completed = new RecordingCompletion();
        var lookup = new LookupRequest(completed);
        lookup.Ask(7, withLinks: false, acceptedAt: 0, CancellationToken.None);
        waiting.Enqueue(lookup);

        lookups.Issue();
        Assert.That((waiting.Count, lookups.Active, completed.Count), Is.EqualTo((1, 0, 0)), "it waits");
        Step();
        Assert.That(session.Free, Is.EqualTo(1), "the stream leaves its returned op to the look-up");
        lookups.Issue();
        Assert.That((lookups.Active, session.Free), Is.EqualTo((1, 0)));
        for (int turn = 0; turn < 1000 && (completed.Count == 0 || stream.Status != ReadStatus.End); turn++)
            Step();

        Assert.That(lookup.Error, Is.Null);
        Assert.That((completed.Count, lookup.Found, taken), Is.EqualTo((1, true, pages)), "both have ended");
        Assert.That(lookup.Vector.SequenceEqual(test.Rows.AsSpan(7 * test.RowBytes, test.RowBytes)), Is.True);

        void Step()
        {
            if (stream.TryGetNextNoWait(out _) == ReadStatus.Buffer)
                taken++;
            session.Drain(TimeSpan.Zero);
        }
    }

    [Test]
    public void No_op_is_spared_for_ended_look_ups([Values] bool isCancelled)
    {
        using TestIndex test = TestIndex.Build(count: 300);
        using SearchIndex index = IndexLoader.Load(
            test.Directory, new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } }, NullLogger.Instance,
            CancellationToken.None);
        using var session =
            new PendingIoSession(index.Device, new PendingIoOptions { Capacity = 1, BufferBytes = index.MostReadBytes, SubmitEvery = 1 });
        using var stream = new ReadStream(
            session, new PageSetSource(index.NodeSet, [1u], "the test"), new ReadStreamOptions { MaxReads = 1, CombineLimit = 1 });
        Assert.That(stream.TryGetNext(out _), Is.True);
        var waiting = new WaitingRequests();
        var lookups = new KeyLookups(index, session, waiting);
        using var cancellation = new CancellationTokenSource();
        var completed = new RecordingCompletion();
        var lookup = new LookupRequest(completed);
        lookup.Ask(7, withLinks: false, acceptedAt: 0, cancellation.Token);
        waiting.Enqueue(lookup);
        lookups.Issue();
        Assert.That(session.Spared, Is.EqualTo(1));

        if (isCancelled)
        {
            cancellation.Cancel();
            waiting.EndEarly();
            lookups.Issue();
        }
        else
        {
            waiting.FailAll(new DeviceException("given up"));
            lookups.Issue();
        }

        Assert.That((session.Spared, completed.Count), Is.EqualTo((0, 1)));
    }

    /// <summary>A session over a hooked device; all keys of the index lie in a chain of <see cref="Chain"/> pages.</summary>
    private sealed class HookedLookup : IDisposable
    {
        private const int PerPage = 20;

        private readonly TestIndex _test;
        private readonly SearchIndex _index;
        private readonly SearchSession _session;
        private readonly ulong _last;

        public HookedLookup()
        {
            _test = TestIndex.Build(
                count: Chain * PerPage, keyDirectory: new KeyDirectoryOptions { Seed = 1, Buckets = 1, EntriesPerPage = PerPage });
            var options = new OpenOptions { Device = new DeviceOptions { Kind = DeviceKind.Memory } };
            var loaded = (GraphIndex)IndexLoader.Load(_test.Directory, options, NullLogger.Instance, CancellationToken.None);
            Device = new HookedDevice(loaded.Device);
            _index = new GraphIndex(loaded.Manifest, _test.Directory, loaded.CodeBook, loaded.Codes, Device);
            _session = new SearchSession(_index, 1, static () => { });

            // A key of the last page: its look-up reads the whole chain, then the node.
            byte[] file = File.ReadAllBytes(_test.KeysFile);
            _last = new KeyBucketPage(file.AsSpan(Chain * 4096, 4096)).Keys[0];
        }

        public HookedDevice Device { get; }

        public bool TryGetLast(CancellationToken cancellationToken)
        {
            byte[] vector = new byte[_test.Dimension];
            return _session.TryGet<byte>(_last, vector, cancellationToken)
                && vector.AsSpan().SequenceEqual(_test.Rows.AsSpan((int)_last * _test.RowBytes, _test.RowBytes));
        }

        public void Dispose()
        {
            _session.Dispose();
            _index.Dispose();
            _test.Dispose();
        }
    }
}

using EncryptedIndex;
using NUnit.Framework;
using VectorPipe.Conformance;
using VectorPipe.Devices;
using VectorPipe.Model;
using VectorPipe.Tests.Formats;

namespace VectorPipe.Tests.Api;

/// <summary>Indexes that are read through a device of the program, the sample's, which decrypts.</summary>
internal sealed class GivenDeviceTests
{
    private static readonly byte[] _key = [.. Enumerable.Range(0, PageCipher.KeyLength).Select(i => (byte)((7 * i) + 3))];

    private static IEnumerable<TestCaseData> Indexes()
    {
        yield return new TestCaseData(() => TestIndex.Build()).SetArgDisplayNames("merged");
        yield return new TestCaseData(() => TestIndex.Build(layout: IndexLayout.Plain)).SetArgDisplayNames("plain").SetCategory("Heavy");
        yield return new TestCaseData(() => TestIndex.Build(type: VectorElementType.Float32))
            .SetArgDisplayNames("rounded").SetCategory("Heavy");
        yield return new TestCaseData(() => TestIndex.BuildLists()).SetArgDisplayNames("lists").SetCategory("Heavy");
        yield return new TestCaseData(() => TestIndex.BuildLists(codeBytes: 16)).SetArgDisplayNames("coded lists");
    }

    [TestCaseSource(nameof(Indexes))]
    public void An_encrypted_index_answers_as_the_plain_one(Func<TestIndex> build)
    {
        using TestIndex test = build();
        string[] plain, plainFiltered, plainCached;
        using (VectorIndex index = test.Open())
            (plain, plainFiltered) = (Answers(index, test, null), Answers(index, test, KeyFilter.Where(static key => key % 3 == 0)));
        using (VectorIndex index = Open(test, null, cacheBytes: 1 << 30))
            plainCached = Answers(index, test, null);
        int files = Encrypt(test.Directory);
        List<string> opened = [];

        using (VectorIndex index = Open(test, opened))
        {
            Assert.That(index.DeviceName, Does.StartWith("encrypted "));
            Assert.That(Answers(index, test, null), Is.EqualTo(plain));
            Assert.That(Answers(index, test, KeyFilter.Where(static key => key % 3 == 0)), Is.EqualTo(plainFiltered));
            using SearchSession session = index.OpenSession();
            Assert.That(TypedSearch.GetAll(session, test).AsSpan().SequenceEqual(test.Rows));
        }

        using (VectorIndex index = Open(test, opened, cacheBytes: 1 << 30))
            Assert.That(Answers(index, test, null), Is.EqualTo(plainCached));
        Assert.That(opened.Distinct().Count(), Is.EqualTo(files), "files that were opened");
    }

    [TestCaseSource(nameof(Indexes))]
    public async Task Verification_reads_through_the_device(Func<TestIndex> build)
    {
        using TestIndex test = build();
        VerifyReport plain = await VectorIndex.VerifyAsync(test.Directory);
        Encrypt(test.Directory);

        VerifyReport report = await VectorIndex.VerifyAsync(test.Directory, threads: 2, openDevice: paths => Device(paths));
        Assert.That((report.Pages, report.Defects), Is.EqualTo((plain.Pages, Array.Empty<string>())));
        Assert.That((await VectorIndex.VerifyAsync(test.Directory)).Defects, Is.Not.Empty);
    }

    [Test]
    public void Without_the_device_an_encrypted_index_is_damaged()
    {
        using var test = TestIndex.Build();
        Encrypt(test.Directory);
        Assert.That(() => test.Open(), Throws.TypeOf<IndexCorruptException>().With.Message.Contains("checksum"));
    }

    [Test]
    public void A_device_that_opens_no_queue_is_disposed_and_says_why()
    {
        using var test = TestIndex.Build();
        Encrypt(test.Directory);
        var open = new List<CountedDevice>();
        var options = new OpenOptions
        {
            OpenDevice = Counted(open, paths => new EncryptedDevice(DefaultDevice.Open(paths), paths, _key[..32])),
        };
        Assert.That(
            () => VectorIndex.Open(test.Directory, options),
            Throws.ArgumentException.With.Message.Contains("a key of 64 bytes, found 32"));
        Assert.That(open, Has.Count.EqualTo(1).And.All.Property(nameof(CountedDevice.Disposals)).EqualTo(1));
    }

    [Test]
    public void A_device_or_a_kind_is_given_and_not_both()
    {
        using var test = TestIndex.Build();
        var both = new OpenOptions { OpenDevice = paths => Device(paths), DeviceKind = DeviceKind.Portable };
        Assert.That(
            () => VectorIndex.Open(test.Directory, both),
            Throws.ArgumentException.With.Message.Contains("Expected OpenDevice or a DeviceKind, found both"));
    }

    [TestCase(0, "found null")]
    [TestCase(1, "expected a device of 1 files, found 2")]
    [TestCase(2, "a power of two, at most 4096, found 8192")]
    [TestCase(3, "a power of two, at most 4096, found 3")]
    public void A_device_that_cannot_read_the_index_is_refused(int which, string message)
    {
        using var test = TestIndex.Build();
        var disposed = new List<OddDevice>();
        OddDevice? Odd(IReadOnlyList<string> paths)
        {
            if (which == 0)
                return null;
            var device = new OddDevice(which == 1 ? paths.Count + 1 : paths.Count, which == 2 ? 8192 : which == 3 ? 3 : 1);
            disposed.Add(device);
            return device;
        }

        Assert.That(
            () => VectorIndex.Open(test.Directory, new OpenOptions { OpenDevice = Odd! }),
            Throws.TypeOf<DeviceException>().With.Message.Contains(message));
        Assert.That(disposed, Has.All.Property(nameof(OddDevice.IsDisposed)).True);
    }

    [Test]
    public void Every_device_is_disposed_with_the_index_and_after_a_failure()
    {
        using var test = TestIndex.Build();
        Encrypt(test.Directory);
        var open = new List<CountedDevice>();
        var options = new OpenOptions { OpenDevice = Counted(open, Device) };
        VectorIndex.Open(test.Directory, options).Dispose();
        Assert.That(open, Has.Count.GreaterThan(3).And.All.Property(nameof(CountedDevice.Disposals)).EqualTo(1));
        int before = open.Count;
        using (FileStream nodes = new(test.NodeFile, FileMode.Open))
            nodes.SetLength(nodes.Length - PageCipher.PageLength);
        Assert.That(() => VectorIndex.Open(test.Directory, options), Throws.TypeOf<IndexCorruptException>());
        Assert.That(open, Has.Count.GreaterThan(before).And.All.Property(nameof(CountedDevice.Disposals)).EqualTo(1));
    }

    [Test]
    public async Task A_collection_refuses_a_device_of_the_program()
    {
        using var folder = new TemporaryFolder();
        var options = new CollectionOptions { Open = new OpenOptions { OpenDevice = paths => Device(paths) } };
        await Assert.ThatAsync(
            () => VectorCollection<ulong>.OpenAsync(folder.Path, new CollectionSchema { Dimension = 4 }, options),
            Throws.TypeOf<NotSupportedException>().With.Message.Contains("OpenDevice"));
        Assert.That(Directory.EnumerateFileSystemEntries(folder.Path), Is.Empty);
    }

    [TestCaseSource(typeof(DeviceChecks), nameof(DeviceChecks.Names))]
    public void The_device_that_decrypts_keeps_the_promises_of_devices(string check)
    {
        using var folder = new TemporaryFolder();
        DeviceChecks.Run(check, new DeviceSubject(folder.Path, Device) { Store = Store, LengthUnit = PageCipher.PageLength });
    }

    /// <summary>Vector 10 of IEEE 1619, XTS-AES-256: its unit is shorter, but blocks depend only on those before.</summary>
    [Test]
    public void Pages_are_encrypted_as_the_standard_says()
    {
        byte[] key = Convert.FromHexString(
            "2718281828459045235360287471352662497757247093699959574966967627"
            + "3141592653589793238462643383279502884197169399375105820974944592");
        byte[] page = [.. Enumerable.Range(0, PageCipher.PageLength).Select(i => (byte)i)];
        using var cipher = new PageCipher(key);
        cipher.Encrypt(page, 0xff, file: 0);
        Assert.That(
            Convert.ToHexStringLower(page.AsSpan(0, 64)),
            Is.EqualTo(
                "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b"
                + "5d31e276f8fe4a8d66b317f9ac683f44680a86ac35adfc3345befecb4bb188fd"));
        cipher.Decrypt(page, 0xff, file: 0);
        Assert.That(page, Is.EqualTo(Enumerable.Range(0, PageCipher.PageLength).Select(i => (byte)i)));
    }

    private static EncryptedDevice Device(IReadOnlyList<string> paths) => new(DefaultDevice.Open(paths), paths, _key);

    private static Func<IReadOnlyList<string>, IDevice> Counted(List<CountedDevice> open, Func<IReadOnlyList<string>, IDevice> inner) =>
        paths =>
        {
            var device = new CountedDevice(inner(paths));
            open.Add(device);
            return device;
        };

    private static VectorIndex Open(TestIndex test, List<string>? encrypted, long cacheBytes = 0) => VectorIndex.Open(
        test.Directory,
        new OpenOptions
        {
            CacheBytes = cacheBytes,
            ExactUpTo = 0,
            SearchThreads = 1,
            OpenDevice = encrypted is null ? null : paths =>
            {
                encrypted.AddRange(paths);
                return Device(paths);
            },
        });

    private static string[] Answers(VectorIndex index, TestIndex test, KeyFilter? keys)
    {
        byte[] queries = test.MakeQueries(20);
        using SearchSession session = index.OpenSession();
        // The reads of a beam do not depend on the order in which they land, nor do those of lists.
        var mode = test.Kind == IndexKind.Graph ? SearchMode.Beam : SearchMode.Pipelined;
        var options = new SearchOptions { Mode = mode, Keys = keys };
        return [.. TypedSearch.Search(session, test, queries, 10, options).Hits.Select(hit => $"{hit.Key}:{hit.Score:R}")];
    }

    /// <summary>Encrypts all files but the manifest; returns their number.</summary>
    private static int Encrypt(string directory)
    {
        string[] paths = Directory.GetFiles(directory, "*.vp");
        foreach (string path in paths)
            Store(path, File.ReadAllBytes(path));
        return paths.Length;
    }

    private static void Store(string path, byte[] bytes)
    {
        using var cipher = new PageCipher(_key);
        cipher.Encrypt(bytes, 0, PageCipher.NumberOf(path));
        File.WriteAllBytes(path, bytes);
    }

    /// <summary>A device whose properties do not fit.</summary>
    private sealed class OddDevice(int files, int alignment) : IDevice
    {
        public bool IsDisposed { get; private set; }
        public string Name => "odd";
        public int FileCount => files;
        public int Alignment => alignment;

        public long LengthOf(int file) => 0;

        public IDeviceQueue OpenQueue(DeviceQueueOptions options) => throw new InvalidOperationException("Nobody may read.");

        public void Dispose() => IsDisposed = true;
    }

    /// <summary>Counts disposals.</summary>
    private sealed class CountedDevice(IDevice inner) : IDevice
    {
        public int Disposals { get; private set; }
        public string Name => inner.Name;
        public int FileCount => inner.FileCount;
        public int Alignment => inner.Alignment;

        public long LengthOf(int file) => inner.LengthOf(file);

        public IDeviceQueue OpenQueue(DeviceQueueOptions options) => inner.OpenQueue(options);

        public void Dispose()
        {
            Disposals++;
            inner.Dispose();
        }
    }
}

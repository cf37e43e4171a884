/// <summary>Stands in for a model: texts that share words, or beginnings of words, get near vectors.</summary>
internal static class Embedding
{
    public const int Dimension = 256;

    /// <summary>The vector of a text.</summary>
    public static float[] Of(string text)
    {
        float[] vector = new float[Dimension];
        foreach (string word in text.ToLowerInvariant().Split([' ', ',', '.', '?'], StringSplitOptions.RemoveEmptyEntries))
        {
            if (word.Length > 2 && word is not ("the" or "and" or "for"))
                vector[Hash(word) % Dimension] += 1;
        }

        vector[0] += 0.01f;
        return vector;
    }

    private static uint Hash(string word) => word.Take(4).Aggregate(2166136261u, (hash, letter) => (hash ^ letter) * 16777619u);
}
